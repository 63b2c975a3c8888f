import { createHash } from 'node:crypto'
import { HOUR_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addOperatorCommands } from '../../src/commands/operator.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { MAX_SAMPLES, Samples } from '../../src/stores/books/samples.ts'
import { readParquet } from './read-parquet.ts'

const LAST = 14_399
/** 40 slots are missing; two token rows for each of the others. */
const ROWS = 2 * (LAST + 1 - 40)
const FIRST_GAP = 1_000

let service: TestService
let past: PastMarket

beforeAll(async () => {
  service = await TestService.start()
  past = await PastMarket.save(service, 'sample')
  await past.putRows([...past.rows(0, FIRST_GAP - 1), ...past.rows(FIRST_GAP + 40, LAST + 400)])
  await past.putGaps([past.gap(FIRST_GAP, FIRST_GAP + 39)])
}, 240_000)

afterAll(() => service?.[Symbol.asyncDispose]())

/** The answer of the operator's program. */
async function operator(...args: string[]) {
  const lines: string[] = []
  const program = new Command()
  const readConfig = async () => service.config
  const print = (line: string) => void lines.push(line)
  addOperatorCommands(program, { name: 'bookreel-server', readConfig, print, complain: () => {} })
  await program.parseAsync([...args, '--json'], { from: 'user' })
  return JSON.parse(lines.join('\n'))
}

const samples = () =>
  new Samples({ database: service.access.database, folder: service.config.EXPORT_DIR ?? '/nowhere' })
const listed = async () => (await service.ask('/v1/samples')).body.samples

test('before an operator makes a sample the list is empty and says so, and no sample is found', async () => {
  const { status, body, headers } = await service.ask('/v1/samples')
  expect([status, body, headers['x-empty-reason']]).toEqual([200, { samples: [] }, 'no_match'])
  for (const path of ['/v1/samples/none', '/v1/samples/none/file', '/v1/samples/none/file?dry_run=true']) {
    const refused = await service.ask(path)
    expect([path, refused.status, refused.body.error]).toEqual([path, 404, 'sample_not_found'])
  }
})

test('an operator makes a sample of a finished hour; everybody gets its list entry, snapshots and file', async () => {
  const made = await operator('samples', 'add', past.market.id, instantOf(PAST_HOUR_MS))
  expect(made).toMatchObject({ market_id: past.market.id, rows: ROWS, gap_count: 1 })
  await vi.waitFor(async () => expect(await listed()).toHaveLength(1), { timeout: 90_000, interval: 1_000 })
  const { headers } = await service.ask('/v1/samples')
  expect(headers['cache-control']).toMatch(/^public, max-age=\d+/)
  const [sample] = await listed()
  expect(sample).toMatchObject({
    id: made.id,
    market_id: past.market.id,
    hour: instantOf(PAST_HOUR_MS),
    revision: 1,
    rows: ROWS,
    gaps: [{ slots: 40, kind: 'missing' }],
    coverage: { missing_slots: 40 },
  })
  const { body } = await service.ask(sample.snapshots_path)
  expect(body.snapshots).toHaveLength(500)
  const slots: number[] = body.snapshots.map((row: { sequence_number: number }) => row.sequence_number)
  const [firstSlot = 0] = slots
  const gapSlot = sample.gaps[0].first_slot
  expect([firstSlot < gapSlot, (slots.at(-1) ?? 0) > gapSlot]).toEqual([true, true])
  const file = await service.server.inject({ url: sample.file_path })
  expect(file.statusCode).toBe(200)
  expect(createHash('sha256').update(file.rawPayload).digest('hex')).toBe(sample.sha256)
  expect([file.rawPayload.length, file.headers['x-sha256']]).toEqual([sample.bytes, sample.sha256])
  expect(file.headers['cache-control']).toMatch(/^public, max-age=\d+/)
  expect(await readParquet(file.rawPayload)).toHaveLength(ROWS)
  const part = await service.server.inject({ url: sample.file_path, headers: { range: 'bytes=0-3' } })
  expect([part.statusCode, part.body]).toEqual([206, 'PAR1'])
  const outside = await service.ask(sample.file_path, { headers: { range: `bytes=${sample.bytes}-` } })
  expect([outside.status, outside.body.error]).toEqual([416, 'range_not_satisfiable'])
  expect((await service.ask(`${sample.file_path}?dry_run=true`)).body).toEqual(sample)
})

test('a sample is the file that the export sells', async () => {
  const [sample] = await listed()
  const key = await service.keyOf('scale')
  const url = `/v1/markets/${past.market.id}/export?hour=${instantOf(PAST_HOUR_MS)}`
  const bought = await service.server.inject({ url, headers: { 'x-api-key': key } })
  expect(createHash('sha256').update(bought.rawPayload).digest('hex')).toBe(sample.sha256)
})

test('an hour that is not finished or not recorded makes no sample', async () => {
  const current = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  for (const hourMs of [current, PAST_HOUR_MS - 48 * HOUR_MS])
    await expect(operator('samples', 'add', past.market.id, instantOf(hourMs))).rejects.toThrow()
  expect(await operator('samples', 'list')).toHaveLength(1)
})

test('there are at most three samples; a sample is replaced by another one of its hour, and can be removed', async () => {
  const other = (id: string) => ({ id, facts: {}, snapshots: '[]', parquet: Buffer.from(id) })
  for (let count = 1; count < MAX_SAMPLES; count++) expect(await samples().add(other(`other-${count}`))).toBe(true)
  expect(await samples().add(other('one-too-many'))).toBe(false)
  expect(await samples().add(other('other-1'))).toBe(true)
  await expect(operator('samples', 'remove', 'no-such')).rejects.toThrow(/no sample/)
  expect(await operator('samples', 'remove', 'other-1')).toEqual({ id: 'other-1', removed: true })
  expect(
    await samples()
      .add({ ...other('large'), parquet: Buffer.alloc(16_000_001) })
      .catch(() => 'refused'),
  ).toBe('refused')
})
