import { setTimeout as sleep } from 'node:timers/promises'
import { BINARY_VENUES } from '@bookreel/service/venue-registry'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { type KalshiTruth, trueStates, wrongBooks } from '../kalshi/true-books.ts'
import { holesIn, type Range, recordRange, SETTLE_MS } from '../recorded-range.ts'
import { RecordingService } from '../recording-service.ts'
import { slotsOf } from '../venues/explain-gaps.ts'
import { gapsIn } from '../venues/recorded-gaps.ts'
import { compareWithWorld, type StoredBook, storedBooks } from '../venues/true-books.ts'

/** Seconds between two frames that are dropped, and between two lost connections. */
const DROP_EVERY_S = 20
const DISCONNECT_EVERY_S = 47
/** A book that the venue left so long ago was not kept up to date. */
const STALE_FROM_MS = 5_000
const FEED = { feed: 'kalshi' } as const

export const kalshi = experiment({
  name: 'kalshi',
  summary:
    'Records two prediction venues at once, one proved by hashes and one by sequence numbers, with lost frames, lost connections and maintenance.',
  options: {
    markets: { description: 'number of simulated markets of each venue', default: 500, atLeast: 20 },
    minutes: { description: 'recording time in minutes', default: 5, atLeast: 0.1 },
    seed: { description: 'seed of the simulated worlds', default: 'bookreel' },
    proved: { description: 'minimum share of Kalshi rows proved by sequence, in %', default: 99.9, atLeast: 0 },
  },
  async run({ markets, minutes, seed, proved }, progress) {
    const world = ['--markets', String(markets), '--kalshi', String(markets), '--seed', seed]
    await using service = await RecordingService.start(world, progress)
    await service.untilTrusted(progress)
    const followed = await service.role('capture').metricsBy('capture_markets_followed', 'venue')
    const range = await recordRange(minutes, async (second, seconds) => {
      progress(`recording, ${second} of ${seconds} s`)
      await disturb(service, second, seconds)
    })
    await sleep(SETTLE_MS)
    const lost = await service.role('capture').metricsBy('capture_sockets_lost_total', 'cause')

    progress('counting stored rows and gaps')
    const holes = await holesIn(service, range)
    const rows = await rowsByVenue(service, range)
    const gaps = await gapsIn(service.clickhouse, range)
    progress('comparing the stored books with the worlds')
    const books = await storedBooks(service.clickhouse, range)
    const bySlot = await storedBooks(service.clickhouse, range, 'slot_at')
    const inDoubt = await gapsIn(service.clickhouse, { ...range, fromMs: 0 }, 'suspect')
    // Running the worlds again takes so long that idle connections are closed meanwhile.
    const [kalshiWorld, polymarketWorld] = [await kalshiTruth(service), await service.simulator.world()]
    const states = trueStates(kalshiWorld, range.toMs)
    const isOfKalshi = ({ market }: StoredBook): boolean => states.has(market)
    const wrong = wrongBooks(books.filter(isOfKalshi), states)
    const others = books.filter((book) => !isOfKalshi(book))
    const isInDoubt = ({ market, eventMs }: StoredBook): boolean =>
      inDoubt.some((gap) => gap.market === market && gap.fromMs <= eventMs && eventMs < gap.toMs)
    const stale = wrongBooks(bySlot.filter(isOfKalshi), states, STALE_FROM_MS).filter((book) => !isInDoubt(book))
    const { wrong: otherWrong } = compareWithWorld(others, polymarketWorld, range.toMs)
    const byCause = Map.groupBy(
      gaps.filter(({ market }) => states.has(market)),
      ({ cause }) => cause,
    )
    const stored = rows.get('kalshi') ?? { rows: 0, proved: 0 }
    const missing = slotsOf([...byCause.values()].flat())
    return {
      bounds: [
        ...BINARY_VENUES.map(({ id }) =>
          bound(`markets of ${id} followed`, followed[id] ?? 0, '>=', Math.floor(markets * 0.5)),
        ),
        bound('slots without a row or a gap', holes.length, '<=', 0),
        bound('Kalshi rows that differ from the world', sum(wrong.map((book) => book.rows)), '<=', 0),
        bound('Kalshi rows older than 5 s and not in doubt', sum(stale.map((book) => book.rows)), '<=', 0),
        bound('Polymarket rows that differ from the world', otherWrong.verified, '<=', 0),
        bound('Kalshi rows proved by sequence', share(stored.proved, stored.rows), '>=', proved, '%'),
        bound('connections ended because a number was missing', lost.sequence_gap ?? 0, '>=', 1),
      ],
      series: {
        rows: [...rows].map(([venue, count]) => ({ venue, ...count })),
        gaps: [...byCause].map(([cause, of]) => ({ cause, records: of.length, slots: slotsOf(of) })),
        wrong: wrong.slice(0, 20),
        stale: stale.slice(0, 20),
        holes: holes.slice(0, 20),
      },
      notes: [
        `Kalshi: ${stored.rows} rows, ${missing} slots in gaps: ${share(stored.rows, stored.rows + missing)} % stored`,
        `Polymarket: ${rows.get('polymarket')?.rows ?? 0} rows`,
        `connections lost: ${JSON.stringify(lost)}`,
      ],
    }
  },
})

/** Lost frames and connections all the time, and maintenance in the middle. */
async function disturb({ simulator }: RecordingService, second: number, seconds: number): Promise<void> {
  if (second % DROP_EVERY_S === DROP_EVERY_S / 2) await simulator.cause({ name: 'drop', target: FEED, times: 1 })
  if (second % DISCONNECT_EVERY_S === DISCONNECT_EVERY_S - 1)
    await simulator.cause({ name: 'disconnect', target: FEED, times: 1 })
  if (second === Math.floor(seconds / 2)) {
    const pause = await simulator.cause({ name: 'maintenance', target: FEED })
    setTimeout(() => void simulator.end(pause), Math.min(20_000, seconds * 100))
  }
}

async function kalshiTruth({ simulator }: RecordingService): Promise<KalshiTruth> {
  return (await (await fetch(`${simulator.addresses.admin}/kalshi/world`)).json()) as KalshiTruth
}

async function rowsByVenue(
  { clickhouse }: RecordingService,
  { fromMs, toMs }: Range,
): Promise<Map<string, { rows: number; proved: number }>> {
  const answer = await clickhouse.query({
    query: `SELECT venue, count() AS rows, countIf(bitAnd(flags, 3) = 3) AS proved
      FROM snapshots INNER JOIN (SELECT market_id, any(venue) AS venue FROM market_facts GROUP BY market_id) AS facts
        USING market_id
      WHERE slot_at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND slot_at < fromUnixTimestamp64Milli({toMs:Int64})
      GROUP BY venue`,
    query_params: { fromMs, toMs },
    format: 'JSONEachRow',
  })
  const found = await answer.json<{ venue: string; rows: string; proved: string }>()
  return new Map(found.map(({ venue, rows, proved }) => [venue, { rows: Number(rows), proved: Number(proved) }]))
}

function share(part: number, whole: number): number {
  return Math.round((100_000 * part) / Math.max(1, whole)) / 1_000
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
