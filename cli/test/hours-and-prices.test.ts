import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asWriter, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { storePastPerp } from '@bookreel/testbed/service/past-perp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usdUnitsIn } from '../../service/src/domain/decimal.ts'
import { writePrice } from '../../service/src/domain/rows/price.ts'
import { RowWriter } from '../../service/src/domain/rows/row-binary.ts'
import { currentSchema } from '../../service/src/domain/rows/row-table.ts'
import { rowInserter } from '../../service/src/stores/books/row-inserter.ts'
import { Samples } from '../../service/src/stores/books/samples.ts'
import { makeSample } from '../../service/src/wiring/make-sample.ts'
import { CliScene } from './cli-scene.ts'

const BOOKS = 50
const GAPS = 30
const SECONDS = 30
const FIRST_GAP = 100

let scene: CliScene
let key: string
let past: PastMarket
let sample: string
let folder: string

beforeAll(async () => {
  scene = await CliScene.open()
  folder = mkdtempSync(join(tmpdir(), 'bookreel-perp-hours-'))
  key = await scene.service.keyOf('scale')
  past = await PastMarket.save(scene.service, 'tiles')
  await past.putRows(past.rows(0, 39))
  await storePastPerp(scene.service, { symbol: 'ZEC', fromMs: PAST_HOUR_MS, books: BOOKS, gaps: GAPS })
  const { service } = scene
  await asWriter(service, (client) => {
    const writer = new RowWriter()
    for (let second = 0; second < SECONDS; second++) {
      const priceAtMs = PAST_HOUR_MS + second * 1_000
      const price = usdUnitsIn(`80000.${second}`) ?? 0n
      const about = { source: 'chainlink', coin: 'BTC', isVenueTime: true } as const
      writePrice(writer, { ...about, price, priceAtMs, receivedAtMs: priceAtMs + 30 })
    }
    return rowInserter(client).insertRaw('prices', currentSchema('prices'), [writer.take()])
  })
  const sampled = await PastMarket.save(service, 'sampled', { endsAtMs: PAST_HOUR_MS + 60_000 })
  await sampled.putRows([...sampled.rows(0, FIRST_GAP - 1), ...sampled.rows(FIRST_GAP + 40, 239)])
  await sampled.putGaps([sampled.gap(FIRST_GAP, FIRST_GAP + 39)])
  const { database } = service.access
  const hour = { marketId: sampled.market.id, hourMs: PAST_HOUR_MS }
  const made = await makeSample(service.config, database, hour, service.nowMs())
  await new Samples({ database, folder: scene.folder }).add(made)
  sample = made.id
}, 360_000)

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await scene?.[Symbol.asyncDispose]()
})

describe('perp-hour', () => {
  const hour = ['perp-hour', 'zec', '--hour', String(PAST_HOUR_MS + 60_000)]

  test('shows books, price and gaps of the hour that contains the time', async () => {
    const { stdout, code } = await scene.run(hour, { key })
    expect(code).toBe(0)
    expect(stdout).toMatch(/ZEC, hour from .*: 50 books, 1 credit\./)
    expect(stdout).toContain('missing, capturer_down')
    const report = JSON.parse((await scene.run([...hour, '--json'], { key })).stdout)
    expect(report).toMatchObject({ rows: BOOKS, credits: 1, gap_count: GAPS + 1 })
  })

  test('asks before it spends credits, and writes the file', async () => {
    const unasked = await scene.run([...hour, '--out', folder], { key })
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('50 books cost up to 1 credit')])
    const { stdout, code, stderr } = await scene.run([...hour, '--out', folder, '--yes', '--json'], { key })
    expect(code, stderr).toBe(0)
    const { path, credits_charged: charged, bytes } = JSON.parse(stdout)
    expect(charged).toBe(1)
    expect(path).toBe(join(folder, `ZEC-perp-${new Date(PAST_HOUR_MS).toISOString().slice(0, 13)}Z.parquet`))
    const file = readFileSync(path)
    expect([file.length, file.subarray(0, 4).toString()]).toEqual([bytes, 'PAR1'])
  })

  test('an hour without books has no file', async () => {
    const before = ['perp-hour', 'ZEC', '--hour', String(PAST_HOUR_MS - 3_600_000)]
    expect((await scene.run(before, { key })).stdout).toContain('no books')
    expect((await scene.run([...before, '--out', folder, '--yes'], { key })).code).toBe(4)
  })
})

test('perp gaps say how many of them are shown', async () => {
  const range = ['--from', String(PAST_HOUR_MS), '--to', String(PAST_HOUR_MS + 3_600_000)]
  const { stderr } = await scene.run(['perp', 'gaps', 'ZEC', ...range], { key })
  expect(stderr).toContain(`Showing 20 of ${GAPS + 1} gaps; raise --limit`)
  const { stderr: all } = await scene.run(['perp', 'gaps', 'ZEC', ...range, '--limit', '100'], { key })
  expect(all).not.toContain('Showing')
})

test('search says how many markets match', async () => {
  const { stderr } = await scene.run(['search', 'bitcoin', '--limit', '1'], { key })
  expect(stderr).toMatch(/Showing 1 of \d+ markets; raise --limit or use more words\./)
})

test('a fine tile of a heat map needs --yes when the exact books of the day are used up', async () => {
  const { key: fresh, accountId } = await scene.service.newAccount('scale')
  const tile = ['heatmap', past.market.id, '--from', String(PAST_HOUR_MS), '--json']
  const free = await scene.run([...tile, '--column-ms', '250'], { key: fresh })
  expect([free.code, JSON.parse(free.stdout).column_ms]).toEqual([0, 250])
  await scene.service.access.accessControl.countBooks({ accountId }, 5_000)
  const unasked = await scene.run([...tile, '--column-ms', '250'], { key: fresh })
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('costs up to 6 credits')])
  const drawn = await scene.run([...tile, '--column-ms', '250', '--yes'], { key: fresh })
  expect([drawn.code, JSON.parse(drawn.stdout).column_ms]).toEqual([0, 250])
  expect((await scene.run([...tile, '--column-ms', '1000'], { key: fresh })).code).toBe(0)
  const perp = ['heatmap', 'ZEC/perp', '--from', String(PAST_HOUR_MS), '--json']
  expect((await scene.run([...perp, '--column-ms', '1000'], { key: fresh })).code).toBe(2)
  expect((await scene.run([...perp, '--column-ms', '2000'], { key: fresh })).code).toBe(0)
})

describe('prices', () => {
  const range = ['prices', 'btc', '--from', String(PAST_HOUR_MS), '--to', String(PAST_HOUR_MS + 60_000)]

  test('a table, the reply of the service, and csv have the same rows', async () => {
    const { stdout, stderr, code } = await scene.run([...range, '--limit', '3'], { key })
    expect([code, stdout.match(/80000(\.\d+)?/g)]).toEqual([0, ['80000', '80000.1', '80000.2']])
    expect(stderr).toContain('There are more prices: raise --limit, or set --from to the last time.')
    const reply = JSON.parse((await scene.run([...range, '--json'], { key })).stdout)
    expect(reply).toMatchObject({ coin: 'BTC', source: 'chainlink', prices: { length: 20 } })
    const csv = await scene.run([...range, '--limit', '30', '--csv'], { key })
    const [head, ...lines] = csv.stdout.trim().split(/\r?\n/)
    expect([head?.split(',').slice(0, 3), lines.length]).toEqual([['coin', 'source', 'price'], SECONDS])
  })

  test('of a source without prices says why there are none', async () => {
    const { stdout, stderr } = await scene.run([...range, '--source', 'binance'], { key })
    expect([stdout, stderr]).toEqual(['', expect.stringMatching(/No prices found \(\w+\)\./)])
  })
})

describe('samples, without a key', () => {
  test('the list says how one is downloaded', async () => {
    const { stdout, stderr } = await scene.run(['samples'])
    expect([stdout, stderr]).toEqual([
      expect.stringContaining(sample),
      expect.stringContaining(`samples ${sample} --out hours`),
    ])
  })

  test('one is shown with its gap, and its heat map is drawn', async () => {
    const { stdout } = await scene.run(['samples', sample])
    expect(stdout).toMatch(/missing +40 of 240 slots\n.*: missing, disconnected\.\n$/)
    const drawn = await scene.run(['samples', sample, '--heatmap', '--side', 'down'])
    expect([drawn.code, drawn.stdout]).toEqual([0, expect.stringMatching(/█.* UTC\n$/s)])
    const { side } = JSON.parse((await scene.run(['samples', sample, '--heatmap', '--side', 'down', '--json'])).stdout)
    expect(side).toBe('DOWN')
  })

  test('the file is the one whose hash the service states', async () => {
    const { code, stderr } = await scene.run(['samples', sample, '--out', join(folder, 'hours')])
    expect(code, stderr).toBe(0)
    const { sha256 } = JSON.parse((await scene.run(['samples', sample, '--json'])).stdout)
    const file = readFileSync(join(folder, 'hours', `${sample}.parquet`))
    expect(createHash('sha256').update(file).digest('hex')).toBe(sha256)
  })

  test('an unknown one is not found', async () => {
    for (const options of [[], ['--heatmap'], ['--out', folder]]) {
      const { code, stderr } = await scene.run(['samples', 'none', ...options])
      expect([code, stderr]).toEqual([4, expect.stringContaining('sample_not_found')])
    }
  })
})
