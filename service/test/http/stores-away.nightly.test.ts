// Nightly: suspends engines and waits for the timeouts of stores.
// Covers: service/src/http/ service/src/pipeline/ service/src/stores/engines/
import { BRIEF } from '@bookreel/testbed/service/store-limits'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AWAY, openStoresAway } from './stores-away.ts'

/** The longest wait for an unavailable store. Usually it is 2 s; a slow machine needs longer. */
const WITHIN_MS = 30_000

let service: TestService
let nowMs = WORLD_NOW_MS

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen', limits: BRIEF, nowMs: () => nowMs })
})

afterAll(() => service?.[Symbol.asyncDispose]())

test.each(AWAY)(
  '$engine mute: what needs it is 503 and free of charge, everything else works, health shows it, and recovers with it',
  async ({ engine, refused, states }) => {
    // What was undone late in an earlier case must not change these balances.
    const scene = await openStoresAway(service)
    await scene.use()
    const before = await scene.credits()
    let cost = 0
    const handle = service.stack.engine(engine)
    await handle.pause()
    try {
      await expect.poll(() => scene.health(), { timeout: WITHIN_MS }).toMatchObject({ status: 'degraded', ...states })
      nowMs += 3_000
      let tookMs = 0
      // A machine that pauses for longer than the limits of the stores makes them look unavailable.
      const statuses = async () => {
        const askedAt = performance.now()
        const answers = await scene.askAll()
        tookMs = performance.now() - askedAt
        cost += answers.credits
        return answers.statuses
      }
      await expect.poll(statuses, { interval: 500 }).toEqual(scene.expected(refused))
      expect(tookMs).toBeLessThan(WITHIN_MS)
    } finally {
      await handle.resume()
    }
    await expect.poll(() => scene.health()).not.toMatchObject(states)
    if (engine !== 'postgres') expect(await scene.credits()).toBe(before - cost)
    await expect.poll(async () => (await scene.askAll()).statuses, { interval: 500 }).toEqual(scene.expected())
  },
)

// A paused PostgreSQL executes the statements it has received when it resumes, although nobody waits for them.
test('postgres mute: a response that was not delivered is not charged', async () => {
  const { key, accountId } = await service.newAccount('enterprise')
  const page = `/v1/markets/${service.world.hot.id}/snapshots?limit=4`
  // What is left is remembered, so the next request is refused by its charge and not before.
  expect((await service.ask(page, { key })).status).toBe(200)
  const before = await service.access.ledger.spendable(accountId)
  const undoneBefore = await undoneCount()
  const postgres = service.stack.engine('postgres')
  await postgres.pause()
  try {
    expect((await service.ask(page, { key })).status).toBe(503)
  } finally {
    await postgres.resume()
  }
  await expect.poll(undoneCount).toBeGreaterThan(undoneBefore)
  expect(await service.access.ledger.spendable(accountId)).toEqual(before)
})

async function undoneCount(): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) AS count FROM ledger WHERE kind IN ('void', 'refund')`.execute(service.access.database)
  return Number(rows[0]?.count)
}
