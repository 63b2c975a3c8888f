import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRecordScene, type RecordScene } from './record-scene.ts'
import { report } from './report.ts'
import { accountOf, acknowledgedRows, SOUND } from './stored-account.ts'

/** The usual ones are 30 s and 256 MiB; here both are reached within seconds. */
const LIMITS = { queueMs: 4_000, queueBytes: 220_000, answerMs: 500 }
const closing = new AsyncDisposableStack()
let stack: Stack
let scene: RecordScene

beforeAll(async () => {
  stack = closing.use(await borrowStack({ engines: ['nats', 'clickhouse'] }))
  scene = closing.use(await openRecordScene({ nats: stack, clickhouse: stack }, { maxBytes: 100_000_000 }))
  await scene.startArchive()
  await scene.startCapture(LIMITS)
})
afterAll(() => closing.disposeAsync())

test.each(['killed', 'paused'])(
  'a bus that is %s for longer than the queue holds: the newest rows arrive once, older ones become gaps, nothing is a hole',
  { timeout: 60_000 },
  async (how) => {
    await expect.poll(() => scene.storedRowsSince(Date.now() - 1_500), { timeout: 60_000 }).toBeGreaterThan(0)
    const givenUpBefore = await scene.metric('capture_batches_given_up_total')
    const nats = stack.engine('nats')
    await (how === 'killed' ? nats.kill() : nats.pause())
    const awayFromMs = Date.now()
    let mostQueuedBytes = 0
    const givenUp = async (): Promise<number> => {
      mostQueuedBytes = Math.max(mostQueuedBytes, await scene.metric('capture_queued_bytes'))
      return (await scene.metric('capture_batches_given_up_total')) - givenUpBefore
    }
    await expect.poll(givenUp, { timeout: 60_000 }).toBeGreaterThan(8)
    // Longer than a lease, too: nobody else can have taken it from a bus that is away.
    await expect.poll(() => Date.now() - awayFromMs, { timeout: 60_000 }).toBeGreaterThan(3_500)
    await (how === 'killed' ? nats.restart() : nats.resume())
    const backAtMs = Date.now()
    await expect.poll(() => scene.storedRowsSince(backAtMs + 1_000), { timeout: 60_000 }).toBeGreaterThan(0)

    const acknowledged = acknowledgedRows(scene.emissionLog)
    await expect.poll(() => accountOf(scene.client, acknowledged), { timeout: 60_000 }).toMatchObject(SOUND)
    const { perpCount, missingBy } = await accountOf(scene.client, acknowledged)
    expect(perpCount).toBeGreaterThan(0)
    // Nobody else recorded, and this recorder never stopped: the bus alone is the reason.
    expect(missingBy).toHaveProperty('bus_unavailable')
    expect(missingBy).not.toHaveProperty('capturer_down')
    const rescued = await scene.storedRowsSince(awayFromMs + 500, backAtMs)
    expect(rescued).toBeGreaterThan(0)
    expect(mostQueuedBytes).toBeLessThanOrEqual(LIMITS.queueBytes)
    report(`bus ${how}`, { awayMs: backAtMs - awayFromMs, rescued, mostQueuedBytes, missingBy })
  },
)
