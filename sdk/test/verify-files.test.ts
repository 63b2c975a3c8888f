import { expect, test } from 'vitest'
import { verifyFile, verifyManifests } from '../src/index.ts'

const CHAIN = { entries: [], problems: [], known: { keys: [], hashes: [] } }

/** A service that answers with what it likes. */
function answering(proof: object) {
  return {
    manifestsPages: async function* () {},
    proof: async () =>
      ({ sha256: 'a'.repeat(64), leaf_index: 0, path: [], manifest: { number: 1 }, ...proof }) as never,
  }
}

test('the proof of another file is not accepted, and neither is a number that is text', async () => {
  const file = { id: 'one-2026-11-15-r1', sha256: 'a'.repeat(64) }
  const other = await verifyFile(answering({ id: 'two-2026-11-15-r1' }), file, CHAIN)
  expect(other).toMatchObject({ code: 'forged_root', message: expect.stringContaining('another file') })
  const text = await verifyFile(answering({ id: file.id, manifest: { number: '1' } }), file, CHAIN)
  expect(text?.code).toBe('forged_root')
})

test.each([
  ['without entries', []],
  ['with entries', Array.from({ length: 5_000 }, () => ({ number: 1 }))],
])('a service that sends pages %s without end is given up', async (_case, manifests) => {
  let pages = 0
  const endless = {
    manifestsPages: async function* () {
      while (++pages < 1_000) yield { manifests, keys: [], next_cursor: 'next' } as never
    },
  }
  await expect(verifyManifests(endless)).rejects.toMatchObject({ code: 'unexpected_answer' })
  expect(pages).toBeLessThan(100)
})

test('a chain that has grown is read once more for many files, not once for each', async () => {
  const chain = { ...CHAIN }
  let reads = 0
  const service = {
    ...answering({}),
    manifestsPages: async function* () {
      reads++
      yield { manifests: [{ number: 1, files: 1 }], keys: [], next_cursor: null } as never
    },
    proof: async (id: string) => ({ id, sha256: 'a', leaf_index: 0, path: [], manifest: { number: 1 } }) as never,
  }
  for (const id of ['one', 'two', 'three']) await verifyFile(service, { id, sha256: 'a' }, chain)
  expect(reads).toBe(1)
})
