import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccessControl } from '../../src/access/access-control.ts'
import { AWAY, openStoresAway } from './stores-away.ts'

let service: TestService
let server: FastifyInstance
let scene: Awaited<ReturnType<typeof openStoresAway>>
let nowMs = WORLD_NOW_MS

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen', nowMs: () => nowMs })
  const { keys, ledger, rateLimits, peppers } = service.access
  const accessControl = new AccessControl({ keys, ledger, rateLimits, peppers, nowMs: () => nowMs })
  server = await service.newServer({ pipeline: { accessControl } })
  scene = await openStoresAway(service, server)
})

afterAll(async () => {
  await server?.close()
  await service?.[Symbol.asyncDispose]()
})

test.each(AWAY)(
  '$engine killed: what needs it is 503 and free of charge, everything else works, health shows it, and recovers with it',
  async ({ engine, refused, states }) => {
    await scene.use()
    const before = await scene.credits()
    await service.stack.engine(engine).kill()
    await expect.poll(() => scene.health()).toMatchObject({ status: 'degraded', ...states })
    nowMs += 1_900
    expect(await scene.book(), 'a book is remembered for two seconds').toBe(200)
    nowMs += 1_100
    const answers = await scene.askAll()
    await service.stack.engine(engine).restart()
    expect(answers.statuses).toEqual(scene.expected(refused))

    await expect.poll(() => scene.health()).not.toMatchObject(states)
    await expect.poll(() => scene.credits()).toBe(before - answers.credits)
    const later = async () => {
      // After some failures a store is asked once a second only.
      nowMs += 100
      return (await scene.askAll()).statuses
    }
    await expect.poll(later, { interval: 100 }).toEqual(scene.expected())
  },
)
