import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hole } from '@bookreel/service/stores/books/gaps'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { sql } from 'kysely'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { holesIn, recordRange, SETTLE_MS } from '../recorded-range.ts'
import { RecordingService } from '../recording-service.ts'
import { recordedIn } from '../stored-rows.ts'
import { type Deed, falseGaps, type RecordedGap, slotsOf } from '../venues/explain-gaps.ts'
import { gapsIn } from '../venues/recorded-gaps.ts'
import { compareWithWorld, storedBooks } from '../venues/true-books.ts'

const MOST_LINES = 200
/** A resolution that is not known this long after it happened is missing. */
const KNOWN_WITHIN_MS = 30 * 60_000
/** Reasons for which the recorder may give up a socket (`stale`: several books of it); any other is about a single market. */
const REASONS_OF_SOCKETS = ['lag', 'silent', 'stale']

export const venues = experiment({
  name: 'venues',
  summary:
    'Records venues with all habits of the real ones and checks rows, gaps, sockets and resolutions against the oracle.',
  options: {
    markets: { description: 'number of simulated markets', default: 1_000, atLeast: 20 },
    minutes: { description: 'recording time in minutes', default: 60, atLeast: 0.1 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
    stored: { description: 'minimum share of the expected slots stored, in %', default: 99.5, atLeast: 0 },
    falseGaps: { description: 'maximum share of slots in gaps without a cause at the venue, in %', default: 0.01 },
    lines: { description: 'maximum log lines a second of the recorder', default: 10, atLeast: 0 },
  },
  async run({ markets, minutes, seed, stored: storedShare, falseGaps: falseShare, lines }, progress) {
    const world = ['--venues', 'realistic', '--markets', String(markets), '--seed', seed]
    await using service = await RecordingService.start(world, progress)
    const followed = await service.untilTrusted(progress)
    const range = await recordRange(minutes, (second, seconds) => progress(`recording, ${second} of ${seconds} s`))
    await sleep(SETTLE_MS)

    progress('counting stored rows and gaps')
    const holes = await holesIn(service, range)
    const { rowCount, verified } = await recordedIn(service.clickhouse, range)
    const gaps = await gapsIn(service.clickhouse, range)
    const untrue = falseGaps(gaps, await deedsOf(service))
    progress('reading the stored books')
    const books = await storedBooks(service.clickhouse, range)
    progress(`comparing ${books.length} books with the world`)
    const { wrong, resolvedAtMs } = compareWithWorld(books, await service.simulator.world(), range.toMs)
    const log = await readFile(join(service.folder, 'capture.log'), 'utf8')
    const replaced = await service.role('capture').metricsBy('capture_sockets_replaced_total', 'reason')
    const lost = await service.role('capture').metricsBy('capture_sockets_lost_total', 'cause')
    const ofOneMarket = Object.entries(replaced).filter(([reason]) => !REASONS_OF_SOCKETS.includes(reason))
    const missing = await missingResolutions(service, resolvedAtMs, range.toMs)
    const slots = rowCount + slotsOf(gaps) + slotsOf(holes.map(timesOf))
    return {
      bounds: [
        bound('markets followed', followed, '>=', Math.floor(markets * 0.5)),
        bound('expected slots stored', share(rowCount, slots), '>=', storedShare, '%'),
        bound('missing slots without a gap record', holes.length, '<=', 0),
        bound('gaps without their cause at the venue, in slots', share(slotsOf(untrue), slots), '<=', falseShare, '%'),
        bound('verified rows that differ from the world', wrong.verified, '<=', 0),
        bound('sockets restarted because of a single market', sum(ofOneMarket.map(([, count]) => count)), '<=', 0),
        bound('resolutions missing 30 minutes after they happened', missing.length, '<=', 0),
        bound('log lines a second', log.split('\n').length / (minutes * 60), '<=', lines),
      ],
      series: {
        gaps: Object.entries(Object.groupBy(gaps, ({ cause }) => cause)).map(([cause, of = []]) => ({
          cause,
          records: of.length,
          slots: slotsOf(of),
        })),
        falseGaps: untrue.slice(0, 20),
        wrong: wrong.examples,
        holes: holes.slice(0, 20),
        sockets: [{ replaced, lost }],
        socketLines: log
          .split('\n')
          .filter((line) => /"socket (lost|replaced)"/.test(line))
          .slice(0, MOST_LINES),
        lateMoments: lateMoments(gaps),
        missing: missing.slice(0, 20),
      },
      notes: [
        `${rowCount} rows, ${verified} % verified; ${wrong.unverified} unverified rows differ from the world`,
        `sockets lost: ${JSON.stringify(lost)}, replaced: ${JSON.stringify(replaced)}`,
      ],
    }
  },
})

async function deedsOf({ simulator }: RecordingService): Promise<Deed[]> {
  const answer = await fetch(`${simulator.addresses.admin}/oracle`)
  return ((await answer.json()) as { deeds: Deed[] }).deeds
}

function timesOf({ intervalMs, fromSlot, toSlot }: Hole): Pick<RecordedGap, 'intervalMs' | 'fromMs' | 'toMs'> {
  return { intervalMs, fromMs: fromSlot * intervalMs, toMs: (toSlot + 1) * intervalMs }
}

/** Recorded markets that resolved long ago without a stored resolution. */
async function missingResolutions(
  service: RecordingService,
  resolvedAtMs: ReadonlyMap<string, number>,
  toMs: number,
): Promise<string[]> {
  const database = openDatabase({ url: service.stack.variable('DATABASE_URL'), answerWithinMs: 60_000 })
  await using _connections = { [Symbol.asyncDispose]: () => database.destroy() }
  const known = await sql<{ market_id: string }>`SELECT market_id FROM resolutions`.execute(database)
  const listed = await sql<{ id: string }>`SELECT id FROM markets`.execute(database)
  const [stored, followed] = [new Set(known.rows.map((row) => row.market_id)), new Set(listed.rows.map(({ id }) => id))]
  const longAgo = [...resolvedAtMs].filter(([, atMs]) => atMs <= toMs - KNOWN_WITHIN_MS).map(([id]) => id)
  return longAgo.filter((id) => followed.has(id) && !stored.has(id))
}

/** The moments at which most slots were late, which tells pauses of the machine from slow work. */
function lateMoments(gaps: readonly RecordedGap[]): { at: string; slots: number }[] {
  const late = gaps.filter(({ cause }) => cause === 'late_slot')
  const bySecond = Map.groupBy(late, ({ fromMs }) => Math.floor(fromMs / 1_000))
  const moments = [...bySecond].map(([second, of]) => ({
    at: new Date(second * 1_000).toISOString(),
    slots: slotsOf(of),
  }))
  return moments.sort((one, other) => other.slots - one.slots).slice(0, MOST_LINES)
}

function share(part: number, whole: number): number {
  return Math.round((100_000 * part) / Math.max(1, whole)) / 1_000
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
