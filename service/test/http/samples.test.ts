import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { HOUR_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { addOperatorCommands } from '../../src/commands/operator.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { MAX_SAMPLES, Samples } from '../../src/stores/books/samples.ts'
import { makeSample } from '../../src/wiring/make-sample.ts'
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
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

/** The answer of the operator's program. */
async function operator(...args: string[]) {
  const lines: string[] = []
  const program = new Command()
  const readConfig = async () => service.config
  const print = (line: string) => void lines.push(line)
  const { nowMs } = service
  addOperatorCommands(program, { name: 'bookreel-server', readConfig, print, complain: () => {}, nowMs })
  await program.parseAsync([...args, '--json'], { from: 'user' })
  return JSON.parse(lines.join('\n'))
}

const samples = () =>
  new Samples({ database: service.access.database, folder: service.config.EXPORT_DIR ?? '/nowhere' })
/** The API keeps the list for ten seconds. */
const askLater = (path: string) => {
  service.clock.nowMs += 10_000
  return service.ask(path)
}
const listed = async () => (await askLater('/v1/samples')).body.samples

test('a sample that is older than the history of the free tier has its whole heat map', async () => {
  const agoSlots = (48 * HOUR_MS) / past.market.captureIntervalMs
  const old = await PastMarket.save(service, 'old sample')
  const agoMs = 48 * HOUR_MS
  await old.putRows(
    old.rows(0, 399).map((row) => ({
      ...row,
      slot: row.slot - agoSlots,
      capturedAtMs: row.capturedAtMs - agoMs,
      eventAtMs: row.eventAtMs - agoMs,
      receivedAtMs: row.receivedAtMs - agoMs,
    })),
  )
  const hour = { marketId: old.market.id, hourMs: PAST_HOUR_MS - agoMs }
  const sample = await makeSample(service.config, service.access.database, hour, service.nowMs())
  const tiles = sample.tiles as { side: string; stored: number[] }[]
  const stored = tiles.filter(({ side }) => side === 'UP').flatMap((tile) => tile.stored)
  expect(stored.reduce((sum, count) => sum + count, 0)).toBe(400)
})

test('before an operator makes a sample the list is empty and says so, and no sample is found', async () => {
  const { status, body, headers } = await service.ask('/v1/samples')
  expect([status, body, headers['x-empty-reason']]).toEqual([200, { samples: [] }, 'no_match'])
  for (const path of ['', '/file', '/file?dry_run=true', '/heatmap'].map((end) => `/v1/samples/none${end}`)) {
    const refused = await service.ask(path)
    expect([path, refused.status, refused.body.error]).toEqual([path, 404, 'sample_not_found'])
  }
})

test('an operator makes a sample of a finished hour; everybody gets its list entry, snapshots and file', async () => {
  const made = await operator('samples', 'add', past.market.id, instantOf(PAST_HOUR_MS))
  expect(made).toMatchObject({ market_id: past.market.id, rows: ROWS, gap_count: 1 })
  expect(await listed()).toHaveLength(1)
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

test('the heat map of a sample has the tiles of its hour for each side, and the list does not carry them', async () => {
  const [sample] = await listed()
  expect(sample).not.toHaveProperty('tiles')
  const key = await service.keyOf('scale')
  const tilesOf = async (query: string) => {
    const { status, body, headers } = await service.ask(`/v1/samples/${sample.id}/heatmap${query}`)
    expect([status, body.sample, headers['cache-control']]).toEqual([200, sample.id, expect.stringMatching(/^public/)])
    return body
  }
  for (const [query, side] of [
    ['', 'UP'],
    ['?side=DOWN', 'DOWN'],
  ]) {
    const body = await tilesOf(query ?? '')
    expect(body.side).toBe(side)
    for (const tile of body.tiles) {
      const url = `/v1/markets/${past.market.id}/heatmap?from=${tile.from}&side=${side}`
      expect(tile).toEqual((await service.ask(url, { headers: { 'x-api-key': key } })).body)
    }
    const [first] = body.tiles
    const last = body.tiles.at(-1)
    expect(Date.parse(first.from)).toBeLessThanOrEqual(PAST_HOUR_MS)
    expect(Date.parse(last.from) + last.columns * last.column_ms).toBeGreaterThanOrEqual(PAST_HOUR_MS + HOUR_MS)
  }
  expect((await service.ask(`/v1/samples/${sample.id}/heatmap?side=LEFT`)).status).toBe(400)
})

test('the JSON of samples is rendered and compressed once, and not sent to those who have it', async () => {
  const [sample] = await listed()
  const paths = [
    '/v1/samples',
    sample.snapshots_path,
    ...['UP', 'DOWN'].map((side) => `/v1/samples/${sample.id}/heatmap?side=${side}`),
  ]
  const server = await service.newServer({})
  onTestFinished(() => server.close())
  const ask = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  for (const path of paths) {
    stringify.mockClear()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(path, { 'accept-encoding': 'gzip, br' })))
    const rendered = stringify.mock.calls.filter(
      ([value]) =>
        value !== null &&
        typeof value === 'object' &&
        ('samples' in value || 'sample' in value || 'snapshots' in value),
    )
    expect([path, rendered.length]).toEqual([path, 1])
    const [first] = answers
    if (first === undefined) throw new Error('twenty were asked')
    expect(first.headers).toMatchObject({
      vary: 'accept-encoding',
      'cache-control': expect.stringMatching(/^public/),
    })
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1)
    const plain = await ask(path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const isLarge = plain.rawPayload.length >= 1_024
    expect(first.headers['content-encoding']).toBe(isLarge ? 'br' : undefined)
    expect((isLarge ? brotliDecompressSync(first.rawPayload) : first.rawPayload).toString()).toBe(plain.body)
    const again = await ask(path, { 'accept-encoding': 'gzip, br', 'if-none-match': String(first.headers.etag) })
    expect([path, again.statusCode, again.body]).toEqual([path, 304, ''])
    expect(
      (await ask(path, { 'accept-encoding': 'zstd, deflate' })).headers['content-encoding'],
      'others are sent as they are',
    ).toBeUndefined()
  }
})

test('a sample is the file that the export sells', async () => {
  const [sample] = await listed()
  const key = await service.keyOf('scale')
  const url = `/v1/markets/${past.market.id}/export?hour=${instantOf(PAST_HOUR_MS)}`
  const bought = await service.server.inject({ url, headers: { 'x-api-key': key } })
  expect(createHash('sha256').update(bought.rawPayload).digest('hex')).toBe(sample.sha256)
})

test('many who want the file of a sample first, on several nodes with one folder, all get the whole file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-samples-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const nodes = [1, 2, 3].map(() => new Samples({ database: service.access.database, folder }))
  const [sample] = await samples().list(service.nowMs())
  if (sample === undefined) throw new Error('there is a sample')
  const paths = await Promise.all(nodes.flatMap((node) => Array.from({ length: 5 }, () => node.fileOf(sample))))
  expect(new Set(paths).size).toBe(1)
  const bytes = readFileSync(paths[0] ?? '')
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sample.sha256)
  expect(readdirSync(folder)).toHaveLength(1)
})

test('an hour that is not finished or not recorded makes no sample', async () => {
  const current = Math.floor(service.nowMs() / HOUR_MS) * HOUR_MS
  for (const hourMs of [current, PAST_HOUR_MS - 48 * HOUR_MS])
    await expect(operator('samples', 'add', past.market.id, instantOf(hourMs))).rejects.toThrow()
  expect(await operator('samples', 'list')).toHaveLength(1)
})

test('there are at most three samples; a sample is replaced by another one of its hour, and can be removed', async () => {
  const other = (id: string) => ({ id, facts: {}, snapshots: '[]', tiles: [], parquet: Buffer.from(id) })
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

test('a sample of an earlier version has no heat map, and says so', async () => {
  await samples().add({ id: 'earlier', facts: {}, snapshots: '[]', tiles: [], parquet: Buffer.from('earlier') })
  const { status, body, headers } = await askLater('/v1/samples/earlier/heatmap')
  expect([status, body.tiles, headers['x-empty-reason']]).toEqual([200, [], 'no_match'])
})

test('a sample that is made again has new bytes at once', async () => {
  const entry = (gap_count: number) => ({
    id: 'again',
    facts: {
      market_id: 'm',
      slug: 's',
      question: 'q',
      venue: 'polymarket',
      hour: instantOf(PAST_HOUR_MS),
      revision: 1,
      rows: 0,
      bytes: 1,
      sha256: 'a',
      coverage: {},
      gap_count,
      gaps: [],
    },
    snapshots: '[]',
    tiles: [],
    parquet: Buffer.from('again'),
  })
  for (const id of ['earlier', 'other-2']) await samples().remove(id)
  const [sample] = await listed()
  const made = (gap_count: number) =>
    samples().add({ ...entry(gap_count), facts: { ...entry(gap_count).facts, coverage: sample.coverage } })
  for (const gap_count of [1, 2]) {
    await made(gap_count)
    expect((await askLater('/v1/samples/again')).body.gap_count).toBe(gap_count)
  }
  await samples().remove('again')
})
