import { setTimeout as sleep } from 'node:timers/promises'
import { clearOfWindowEnd } from '@bookreel/testbed/clear-of-window-end'
import type { Progress } from '../experiment.ts'
import type { ConsoleBench } from './console-bench.ts'
import { HEAT_MAP, IS_DRAWN } from './heat-map-drawing.ts'
import { LIVE_PAGE } from './live-page.ts'

export interface InterruptedStream {
  /** Slots of the time that was looked at. */
  readonly slots: number
  /** Slots of gap records in it. */
  readonly missing: number
  /** Slots with neither a row nor a gap record, and slots that are hatched without a record or the other way round. */
  readonly unexplained: number
}

const CUT_EVERY_MS = 50
const BEFORE_MS = 5_000
const KNOWN_WITHIN_MS = 60_000
/** The window must not end meanwhile. */
const TAKES_MS = 150_000

/** The venue and the network are away for some seconds; then every slot has a row or is hatched as the records say. */
export async function interruptStream(
  bench: ConsoleBench,
  seconds: number,
  progress: Progress,
): Promise<InterruptedStream> {
  progress('waiting for a window that lasts')
  await clearOfWindowEnd(TAKES_MS)
  const watched = await bench.newPage()
  await watched.readyAfter(`${bench.origin}${LIVE_PAGE}`, IS_DRAWN)
  const { page } = watched
  const market = (await page.evaluate(
    `fetch('/app/api/v1/markets/by-slug/btc-updown-5m', { headers: { 'x-requested-with': 'bookreel' } })
      .then((answer) => answer.json()).then(({ market_id }) => market_id)`,
  )) as string
  const fromMs = Date.now()
  await sleep(BEFORE_MS)
  progress('the stream is interrupted')
  const { simulator } = bench.service.recording
  const refused = await simulator.cause({ name: 'refuse-upgrade', target: { feed: 'polymarket' } })
  await simulator.cause({ name: 'disconnect', target: { feed: 'polymarket' } })
  const restoredMs = Date.now() + seconds * 1_000
  while (Date.now() < restoredMs) {
    bench.line.cut(1)
    await sleep(CUT_EVERY_MS)
  }
  await simulator.end(refused)
  progress('the stream is restored')
  const lastMs = restoredMs + KNOWN_WITHIN_MS
  let found: InterruptedStream
  do {
    await sleep(1_000)
    found = (await page.evaluate(comparison(market, fromMs, restoredMs + 2 * BEFORE_MS))) as InterruptedStream
  } while (Date.now() < lastMs && (found.unexplained > 0 || Date.now() < restoredMs + 3 * BEFORE_MS))
  await watched.close()
  return found
}

/** Runs in the page. Whole columns of the finest level are compared with the gap records of the service. */
const comparison = (market: string, fromMs: number, toMs: number): string => `(async () => {
  const { data } = ${HEAT_MAP}.heatMap
  const answer = await fetch('/app/api/v1/markets/${market}/gaps?limit=500', { headers: { 'x-requested-with': 'bookreel' } })
  const { gaps = [] } = answer.ok ? await answer.json() : {}
  const records = gaps.map(({ from, to, kind }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), kind }))
  const { intervalMs, slotsPerColumn } = data.levels[0]
  const ring = data.rings[0]
  const isIn = (list, atMs) => list.some(({ fromMs, toMs, kind }) => kind === 'missing' && atMs >= fromMs && atMs < toMs)
  const found = { slots: 0, missing: 0, unexplained: answer.ok ? 0 : 1 }
  for (let number = data.numberAt(0, ${fromMs}) + 1; number < data.numberAt(0, ${toMs}); number++) {
    const slots = Array.from({ length: slotsPerColumn }, (_, slot) => (number * slotsPerColumn + slot) * intervalMs)
    const missing = slots.filter((atMs) => isIn(records, atMs)).length
    const hatched = slots.filter((atMs) => isIn(data.gaps, atMs)).length
    const place = ring.placeOf(number)
    const stored = place === undefined ? 0 : ring.stored[place]
    found.slots += slotsPerColumn
    found.missing += missing
    found.unexplained += Math.abs(slotsPerColumn - stored - missing) + Math.abs(hatched - missing)
  }
  return found
})()`
