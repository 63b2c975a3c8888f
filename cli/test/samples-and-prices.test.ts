import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asWriter, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usdUnitsIn } from '../../service/src/domain/decimal.ts'
import { writePrice } from '../../service/src/domain/rows/price.ts'
import { RowWriter } from '../../service/src/domain/rows/row-binary.ts'
import { currentSchema } from '../../service/src/domain/rows/row-table.ts'
import { rowInserter } from '../../service/src/stores/books/row-inserter.ts'
import { Samples } from '../../service/src/stores/books/samples.ts'
import { makeSample } from '../../service/src/wiring/make-sample.ts'
import { CliScene } from './cli-scene.ts'

const SECONDS = 30
const FIRST_GAP = 100

let scene: CliScene
let key: string
let sample: string

beforeAll(async () => {
  scene = await CliScene.open({})
  const { service } = scene
  key = await service.keyOf('scale')
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
  const past = await PastMarket.save(service, 'sampled', { endsAtMs: PAST_HOUR_MS + 60_000 })
  await past.putRows([...past.rows(0, FIRST_GAP - 1), ...past.rows(FIRST_GAP + 40, 239)])
  await past.putGaps([past.gap(FIRST_GAP, FIRST_GAP + 39)])
  const { database } = service.access
  const made = await makeSample(service.config, database, { marketId: past.market.id, hourMs: PAST_HOUR_MS })
  await new Samples({ database, folder: scene.folder }).add(made)
  sample = made.id
}, 360_000)

afterAll(() => scene?.[Symbol.asyncDispose]())

describe('prices', () => {
  const range = ['prices', 'btc', '--from', String(PAST_HOUR_MS)]

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
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('No prices found (not_recorded_yet).')])
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
    const folder = join(scene.folder, 'hours')
    const { code, stderr } = await scene.run(['samples', sample, '--out', folder])
    expect(code, stderr).toBe(0)
    const { sha256 } = JSON.parse((await scene.run(['samples', sample, '--json'])).stdout)
    const file = readFileSync(join(folder, `${sample}.parquet`))
    expect(createHash('sha256').update(file).digest('hex')).toBe(sha256)
  })

  test('an unknown one is not found', async () => {
    for (const options of [[], ['--heatmap'], ['--out', scene.folder]]) {
      const { code, stderr } = await scene.run(['samples', 'none', ...options])
      expect([code, stderr]).toEqual([4, expect.stringContaining('sample_not_found')])
    }
  })
})
