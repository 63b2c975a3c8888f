import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Manifests } from '../../src/stores/files/manifests.ts'

const HOURS = 30
const { signer } = newSigner()
let service: TestService
const ids: string[] = []

beforeAll(async () => {
  service = await TestService.start()
  for (let hour = 0; hour < HOURS; hour++) {
    ids.push(await addFile(database(), Buffer.from(`hour ${hour}`), { subject: `hour-${hour}` }))
    await sealAll(database(), signer)
  }
}, 360_000)
afterAll(() => service?.[Symbol.asyncDispose]())

const database = () => service.access.database

/** Counts the trees that are built; none is built before the gate opens. */
function counted(gate: Promise<void> = Promise.resolve()) {
  let trees = 0
  const plugin = {
    transformQuery: ({ node }: { node: never }) => node,
    transformResult: async ({ result }: { result: { rows: readonly unknown[] } }) => {
      const [row] = result.rows
      const isOfTree = typeof row === 'object' && row !== null && Object.keys(row).join() === 'leaf'
      if (isOfTree) {
        trees++
        await gate
      }
      return result
    },
  }
  return { manifests: new Manifests(database().withPlugin(plugin as never)), trees: () => trees }
}

test('many who want proofs of one hour share one tree', async () => {
  const { manifests, trees } = counted()
  const proofs = await Promise.all(Array.from({ length: 50 }, () => manifests.proofOf(ids[0] ?? '')))
  expect(new Set(proofs.map((proof) => proof?.manifest.number))).toEqual(new Set([1]))
  expect(trees()).toBe(1)
})

test('one tree is built at a time and 20 wait; proofs of more hours are refused with what to do, and served later', async () => {
  const gate = Promise.withResolvers<void>()
  const { manifests, trees } = counted(gate.promise)
  const refused: unknown[] = []
  const served = ids.map((id) => manifests.proofOf(id).catch((error: unknown) => void refused.push(error)))
  await expect.poll(() => refused.length).toBe(HOURS - 21)
  expect(trees()).toBe(1)
  for (const error of refused) expect(error).toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
  gate.resolve()
  await Promise.all(served)
  for (const id of ids) expect((await manifests.proofOf(id))?.leafIndex).toBe(0)
})
