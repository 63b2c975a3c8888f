import type { Market } from '@bookreel/service/domain/market'
import { CoverageCounts } from '@bookreel/service/stores/books/coverage-counts'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { fillHour } from '../fill-hour.ts'
import { hundredths } from '../hundredths.ts'
import { MADE_UP_INTERVAL_MS, madeUpMarket } from '../made-up-market.ts'
import { figuresOf, p95, type TimedRequests, timeRequests } from '../time-requests.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TILE_COLUMNS = 256
/** As many as a wide screen shows for an hour. */
const COLUMN_SLOTS = 16
const COARSE_SLOTS = 256
const SIDES = ['UP', 'DOWN'] as const
const YEAR_DAYS = 365
const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities']
const VENUES = ['polymarket', 'kalshi']

export const heatmap = experiment({
  name: 'heatmap',
  summary: 'Measures tiles of heat maps, cold and cached, and a year of coverage, while other markets are recorded.',
  options: {
    markets: { description: 'number of simulated markets recorded during the run', default: 500, atLeast: 20 },
    stored: { description: 'markets with a past hour, whose tiles are requested', default: 20, atLeast: 2 },
    slots: { description: 'slots of the past hour', default: 14_400, atLeast: 100 },
    requests: { description: 'requests of each other kind', default: 100, atLeast: 1 },
    coldMs: { description: 'maximum p95 of a tile that is read from ClickHouse, in ms', default: 150 },
    cachedMs: { description: 'maximum p95 of a tile from memory, in ms', default: 10 },
    coverageMs: { description: 'maximum p95 of a year of coverage, in ms', default: 100 },
  },
  async run({ markets, stored, slots, requests, coldMs, cachedMs, coverageMs }, progress) {
    const nowMs = Date.now()
    const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 2 * HOUR_MS
    const past = Array.from({ length: stored }, (_, number) => madeUpMarket('heatmap', number, nowMs))
    await using service = await ApiService.start({ world: ['--markets', String(markets)], listed: past }, progress)
    await fillHour(rowInserter(service.recording.clickhouse), past, { slots, hourMs }, progress)
    progress('storing a year of counts')
    await storeYear(service, past[0] ?? madeUpMarket('heatmap', 0, nowMs), nowMs)
    const { key } = await service.openAccount('enterprise', 0)
    const finalTiles: string[] = []
    const timesOf = (what: string, paths: readonly string[]): Promise<TimedRequests> =>
      timeRequests(service, key, paths, (body, path, index) => {
        progress(`${what}, ${index} of ${paths.length}`)
        if (body.includes('"is_final":true')) finalTiles.push(path)
      })
    const half = Math.ceil(past.length / 2)
    const tiles = tilePaths(past.slice(0, half), hourMs, slots, COLUMN_SLOTS)
    const cold = await timesOf('cold tiles', tiles)
    // A tile that reaches past the last stored row is not kept for a day.
    const kept = finalTiles.length > 0 ? [...finalTiles] : tiles
    const cached = await timesOf('cached tiles', kept)
    const coarse = await timesOf(
      'tiles of 256 slots in a column',
      tilePaths(past.slice(0, half), hourMs, slots, COARSE_SLOTS),
    )
    const year = `from=${nowMs - YEAR_DAYS * DAY_MS}&to=${nowMs}`
    const ofMarket = `/v1/markets/${past[0]?.id}/coverage?by=day&${year}`
    const market = await timesOf('a year of a market', new Array<string>(requests).fill(ofMarket))
    const ofAll = `/v1/coverage?by=day&${year}`
    const all = await timesOf('a year of all markets', new Array<string>(requests).fill(ofAll))
    await service.stopRecording()
    const coldAlone = await timesOf(
      'cold tiles without recording',
      tilePaths(past.slice(half), hourMs, slots, COLUMN_SLOTS),
    )
    const cachedAlone = await timesOf('cached tiles without recording', kept)
    const marketAlone = await timesOf(
      'a year of a market without recording',
      new Array<string>(requests).fill(ofMarket),
    )
    const allAlone = await timesOf('a year of all markets without recording', new Array<string>(requests).fill(ofAll))
    return {
      bounds: [
        bound('p95 of a cold tile', p95(cold.times), '<=', coldMs, 'ms'),
        bound('p95 of a cached tile', p95(cached.times), '<=', cachedMs, 'ms'),
        bound('p95 of a year of coverage of a market', p95(market.times), '<=', coverageMs, 'ms'),
        bound('p95 of a year of coverage of all markets', p95(all.times), '<=', coverageMs, 'ms'),
      ],
      series: {
        cold: cold.times.map(hundredths),
        cached: cached.times.map(hundredths),
        coarse: coarse.times.map(hundredths),
        market: market.times.map(hundredths),
        all: all.times.map(hundredths),
        coldAlone: coldAlone.times.map(hundredths),
        cachedAlone: cachedAlone.times.map(hundredths),
        marketAlone: marketAlone.times.map(hundredths),
        allAlone: allAlone.times.map(hundredths),
      },
      notes: [
        `cold tiles (${tiles.length}): ${figuresOf(cold)}`,
        `cached tiles (${kept.length} are final): ${figuresOf(cached)}`,
        `tiles of ${COARSE_SLOTS} slots in a column, without a bound: ${figuresOf(coarse)}`,
        `a year of a market: ${figuresOf(market)}`,
        `a year of all markets: ${figuresOf(all)}`,
        `without recording on the same cores, cold tiles: ${figuresOf(coldAlone)}`,
        `without recording on the same cores, cached tiles: ${figuresOf(cachedAlone)}`,
        `without recording on the same cores, a year of a market: ${figuresOf(marketAlone)}`,
        `without recording on the same cores, a year of all markets: ${figuresOf(allAlone)}`,
      ],
    }
  },
})

/** Every tile of the hour, for both tokens. */
function tilePaths(markets: readonly Market[], hourMs: number, slots: number, columnSlots: number): string[] {
  const columnMs = columnSlots * MADE_UP_INTERVAL_MS
  const tileMs = TILE_COLUMNS * columnMs
  const endMs = hourMs + slots * MADE_UP_INTERVAL_MS
  const starts: number[] = []
  for (let fromMs = Math.floor(hourMs / tileMs) * tileMs; fromMs < endMs; fromMs += tileMs) starts.push(fromMs)
  return markets.flatMap(({ id }) =>
    starts.flatMap((fromMs) =>
      SIDES.map((side) => `/v1/markets/${id}/heatmap?from=${fromMs}&column_ms=${columnMs}&side=${side}`),
    ),
  )
}

/** Counts of a year: every slot of one market, and sums of all categories. */
async function storeYear(service: ApiService, market: Market, nowMs: number): Promise<void> {
  const today = Math.floor(nowMs / DAY_MS)
  const perDay = DAY_MS / MADE_UP_INTERVAL_MS
  await service.recording.clickhouse.command({
    query: `INSERT INTO market_days
      SELECT toFixedString(unhex('${market.id.slice(2)}'), 32), toDate(toUInt16(${today - YEAR_DAYS} + day)), toUInt32(${MADE_UP_INTERVAL_MS}),
        min((${today - YEAR_DAYS} + day) * ${perDay} + slot), max((${today - YEAR_DAYS} + day) * ${perDay} + slot),
        groupBitmapState(toUInt32(slot))
      FROM (SELECT toUInt64(number) AS slot FROM numbers(${perDay})) AS slots
        CROSS JOIN (SELECT toUInt64(number) AS day FROM numbers(${YEAR_DAYS})) AS days
      GROUP BY day`,
    clickhouse_settings: { max_block_size: '65536' },
  })
  const counts = new CoverageCounts(service.access.database)
  for (let day = today - YEAR_DAYS; day < today; day++) {
    const dayMs = day * DAY_MS
    const sums = VENUES.flatMap((venue) =>
      CATEGORIES.map((category) => ({
        part: 'day' as const,
        startMs: dayMs,
        venue,
        category,
        marketCount: 500,
        expected: 500 * perDay,
        stored: 500 * perDay - 10,
        suspect: 3,
        causes: { disconnected: 8, late_slot: 2, hash_mismatch: 3 },
      })),
    )
    await counts.save({ dayMs, countedToMs: dayMs + DAY_MS, countedAtMs: nowMs, sums })
  }
}
