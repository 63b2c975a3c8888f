// Nightly: kills or stops real processes and engines while a recorder runs in real time.
// Covers: service/src/capture/ service/src/bus/ service/src/workers/
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acknowledgedRows, checkStoredRows, SOUND } from './check-stored-rows.ts'
import { openRecordScene, type RecordScene } from './record-scene.ts'
import { report } from './report.ts'

/** The defaults are 30 s and 256 MiB; these are reached within seconds. */
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
  'NATS %s for longer than the queue holds: the newest rows arrive once, older ones become gaps, no slot is a hole',
  { timeout: 300_000 },
  async (how) => {
    await expect.poll(() => scene.storedRowsSince(Date.now() - 1_500)).toBeGreaterThan(0)
    const givenUpBefore = await scene.metric('capture_batches_given_up_total')
    const nats = stack.engine('nats')
    await (how === 'killed' ? nats.kill() : nats.pause())
    const downFromMs = Date.now()
    let mostQueuedBytes = 0
    const givenUp = async (): Promise<number> => {
      mostQueuedBytes = Math.max(mostQueuedBytes, await scene.metric('capture_queued_bytes'))
      return (await scene.metric('capture_batches_given_up_total')) - givenUpBefore
    }
    await expect.poll(givenUp).toBeGreaterThan(8)
    // Longer than a lease: no other process can take it while NATS is unavailable.
    await expect.poll(() => Date.now() - downFromMs).toBeGreaterThan(3_500)
    await (how === 'killed' ? nats.restart() : nats.resume())
    const backAtMs = Date.now()
    await expect.poll(() => scene.storedRowsSince(backAtMs + 1_000)).toBeGreaterThan(0)

    const acknowledged = acknowledgedRows(scene.emissionLog)
    await expect.poll(() => checkStoredRows(scene.client, acknowledged)).toMatchObject(SOUND)
    const { perpCount, missingBy } = await checkStoredRows(scene.client, acknowledged)
    expect(perpCount).toBeGreaterThan(0)
    // This recorder never stopped and there is no other, so only the bus can be the cause.
    expect(missingBy).toHaveProperty('bus_unavailable')
    expect(missingBy).not.toHaveProperty('capturer_down')
    const rescued = await scene.storedRowsSince(downFromMs + 500, backAtMs)
    expect(rescued).toBeGreaterThan(0)
    expect(mostQueuedBytes).toBeLessThanOrEqual(LIMITS.queueBytes)
    report(`bus ${how}`, { downMs: backAtMs - downFromMs, rescued, mostQueuedBytes, missingBy })
  },
)
