// Nightly: kills or stops real processes and engines while a recorder runs in real time.
// Covers: service/src/capture/ service/src/bus/ service/src/workers/
import { join } from 'node:path'
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rowStreamOf } from '../../src/bus/row-streams.ts'
import { ARCHIVE_CONSUMER } from '../../src/bus/subjects.ts'
import { acknowledgedRows, checkStoredRows, SOUND } from './check-stored-rows.ts'
import { type End, openRecordScene, type RecordScene } from './record-scene.ts'
import { report } from './report.ts'
import { rowsInStream } from './rows-in-stream.ts'
import { SmallDisk } from './small-disk.ts'

const ROOM_BYTES = 50_000_000
const ROWS = rowStreamOf('polymarket.0')
const closing = new AsyncDisposableStack()
let disks: { nats: SmallDisk; clickhouse: SmallDisk }
let nats: Stack
let scene: RecordScene
let endArchive: End

beforeAll(async () => {
  disks = { nats: closing.use(new SmallDisk(96)), clickhouse: closing.use(new SmallDisk(256)) }
  nats = closing.use(await startStack({ engines: ['nats'], dir: join(disks.nats.folder, 'stack') }))
  const clickhouseFolder = join(disks.clickhouse.folder, 'stack')
  const clickhouse = closing.use(await startStack({ engines: ['clickhouse'], dir: clickhouseFolder }))
  scene = closing.use(await openRecordScene({ nats, clickhouse }, { maxBytes: ROOM_BYTES }))
  await scene.startCapture({ queueMs: 1_500, answerMs: 500 })
  endArchive = await scene.startArchive()
})
afterAll(() => closing.disposeAsync())
beforeEach(async () => {
  await expect.poll(() => scene.storedRowsSince(Date.now() - 1_500)).toBeGreaterThan(0)
})

test('ClickHouse disk full: the archive waits, no message is acknowledged or moved to the dead letters, and every row arrives once there is room', async () => {
  const failedBefore = await scene.metric('archive_failed_inserts_total')
  disks.clickhouse.fill()
  const failed = async () => (await scene.metric('archive_failed_inserts_total')) - failedBefore
  await expect.poll(failed).toBeGreaterThan(1)
  const { ack_floor } = await scene.bus.manager.consumers.info(ROWS, ARCHIVE_CONSUMER)
  const before = await scene.waiting()
  await expect.poll(() => scene.waiting()).toBeGreaterThan(before + 8)
  const later = await scene.bus.manager.consumers.info(ROWS, ARCHIVE_CONSUMER)
  expect(later.ack_floor.stream_seq).toBe(ack_floor.stream_seq)
  const acknowledged = acknowledgedRows(scene.emissionLog)
  const onTheBus = await rowsInStream(scene.bus)
  const { lost } = await checkStoredRows(
    scene.client,
    acknowledged.filter((row) => !onTheBus.has(row)),
  )
  expect(lost).toBe(0)
  expect(await scene.deadLetters()).toBe(0)

  disks.clickhouse.makeRoom()
  const missing = await untilSound()
  expect(missing).not.toHaveProperty('bus_unavailable')
})

test('stream full: the recorder goes on, and the refused rows become gaps once there is room', async () => {
  await endArchive()
  const { state } = await scene.bus.manager.streams.info(ROWS)
  await scene.bus.manager.streams.update(ROWS, { max_bytes: state.bytes + 100_000 })
  await untilGivenUp(8)
  const sampled = await scene.metric('capture_rows_total')
  await expect.poll(() => scene.metric('capture_rows_total')).toBeGreaterThan(sampled)

  // The archive empties the stream.
  endArchive = await scene.startArchive()
  const missing = await untilSound()
  expect(missing).toHaveProperty('bus_unavailable')
  await scene.bus.manager.streams.update(ROWS, { max_bytes: ROOM_BYTES })
})

test('NATS disk full: after a restart with room, every acknowledged row is there and the rest are gaps', async () => {
  disks.nats.fill()
  await untilGivenUp(8)
  disks.nats.makeRoom()
  // In NATS 2.15 a stream that met a full disk does not answer until the server restarts.
  await nats.engine('nats').restart()
  await untilSound()
})

async function untilGivenUp(count: number): Promise<void> {
  const before = await scene.metric('capture_batches_given_up_total')
  const since = async () => (await scene.metric('capture_batches_given_up_total')) - before
  await expect.poll(since).toBeGreaterThan(count)
}

/** Waits until new rows are stored and every earlier slot has a row or a gap. Returns the missing rows by cause. */
async function untilSound(): Promise<Record<string, number>> {
  const roomAtMs = Date.now()
  await expect.poll(() => scene.storedRowsSince(roomAtMs + 500)).toBeGreaterThan(0)
  const acknowledged = acknowledgedRows(scene.emissionLog)
  await expect.poll(() => checkStoredRows(scene.client, acknowledged)).toMatchObject(SOUND)
  const { rowCount, missingBy } = await checkStoredRows(scene.client, acknowledged)
  report(`${rowCount} rows; records of missing ones`, missingBy)
  expect(missingBy).not.toHaveProperty('capturer_down')
  expect(await scene.deadLetters()).toBe(0)
  return missingBy
}
