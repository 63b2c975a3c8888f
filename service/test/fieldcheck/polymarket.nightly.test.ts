// Nightly: watches simulated sockets for seconds of real time.
import { POLYMARKET_ASSUMPTIONS, type PolymarketAssumption } from '@bookreel/service/fieldcheck/polymarket/assumptions'
import type { FieldReport } from '@bookreel/service/fieldcheck/run-fieldcheck'
import type { Simulator } from '@bookreel/simulator/simulator'
import { BROKEN_RULES, type BrokenRule } from '@bookreel/simulator/world/broken-rules'
import { beforeAll, expect, test } from 'vitest'
import { type BrokenVenue, checkAll, verdicts } from './check-scene.ts'

const RUN = { durationMs: 8_000, atOnce: 5 }
/** Eighteen series of windows, also of coins with a wrong recurrence. */
const MANY_SERIES = { hot: 30, medium: 20, cold: 90 }
const PAST_MS = 16 * 60_000
const POLYMARKET = { feed: 'polymarket' } as const

/** How the simulator breaks those assumptions that have no broken rule of their own name. */
const BROKEN_OTHERWISE: Partial<Record<PolymarketAssumption, BrokenVenue>> = {
  'first-book': { faults: [{ name: 'no-first-book' }] },
  'further-subscribe': { faults: [{ name: 'ignore-later-subscribes', target: POLYMARKET }] },
  'only-subscribed': { meanwhile: strayMarket },
  'stays-open': { meanwhile: (simulator) => switchOn(simulator, { name: 'slow-consumer', target: POLYMARKET }) },
  'frames-on-time': { faults: [{ name: 'clock-offset', options: { ms: -30_000 } }] },
  'known-frames': { faults: [{ name: 'unknown-event', target: POLYMARKET }] },
  'known-keys': { faults: [{ name: 'unknown-keys', target: POLYMARKET }] },
  'hash-rule': { faults: [{ name: 'hash-rule-change' }] },
  'best-prices': { faults: [{ name: 'wrong-echo', target: POLYMARKET }] },
  'rest-book': { faults: [{ name: 'ghost-book' }] },
  'list-pages': { faults: [{ name: 'repeat-page' }] },
  recurrence: { without: ['wrong-recurrence'], size: MANY_SERIES },
}
/** What a rule needs in order to show. */
const NEEDED: Partial<Record<PolymarketAssumption, BrokenVenue>> = {
  'result-in-catalogue': { pastMs: PAST_MS },
  'result-in-clob': { pastMs: PAST_MS },
  'window-prices': { pastMs: PAST_MS },
  'settled-token': { pastMs: PAST_MS },
  'resolution-event': { meanwhile: settleWindows },
  'close-when-resolved': { meanwhile: settleWindows },
}

/** A window has to end during the check. */
const SEEN_AT_ENDS: readonly string[] = ['resolution-event', 'close-when-resolved']

const ids = Object.keys(POLYMARKET_ASSUMPTIONS) as PolymarketAssumption[]
let reports: Map<string, FieldReport>

beforeAll(async () => {
  const sound = { 'as it should be': { pastMs: PAST_MS, size: MANY_SERIES } }
  // The check may follow a window that the test ends, and then sees less of other things.
  const ending = { 'with ending windows': { pastMs: PAST_MS, meanwhile: settleWindows, size: MANY_SERIES } }
  const broken = Object.fromEntries(ids.map((id) => [id, brokenVenue(id)]))
  reports = new Map()
  // One after the other: many checks of large venues at once would keep each other waiting.
  for (const venues of [sound, ending, broken] as Record<string, BrokenVenue>[])
    for (const [name, report] of await checkAll('polymarket', RUN, venues)) reports.set(name, report)
}, 900_000)

test('every assumption is confirmed by venues as they should be', () => {
  const report = reports.get('as it should be') as FieldReport
  const seenAtEnds = verdicts(reports.get('with ending windows') as FieldReport, 'confirmed')
  for (const id of SEEN_AT_ENDS) expect(seenAtEnds).toContain(id)
  const others = report.findings.filter(({ id }) => !SEEN_AT_ENDS.includes(id))
  expect(others.filter(({ verdict }) => verdict !== 'confirmed')).toEqual([])
  expect(report).toMatchObject({ isSound: true, problems: [] })
})

test.each(ids)('%s: the report names exactly this one when it is broken', (id) => {
  const report = reports.get(id) as FieldReport
  expect(verdicts(report, 'contradicted'), JSON.stringify(report.findings, null, 1)).toEqual([id])
  expect(report.isSound).toBe(!POLYMARKET_ASSUMPTIONS[id].isRelied)
})

function brokenVenue(id: PolymarketAssumption): BrokenVenue {
  const rule = `polymarket.${id}`
  const broken = rule in BROKEN_RULES ? [rule as BrokenRule] : []
  return { ...(broken.length > 0 && { broken }), ...BROKEN_OTHERWISE[id], ...NEEDED[id] }
}

/** Ends the windows that have a socket of their own. */
function settleWindows({ world }: Simulator): void {
  for (const market of world.markets.values())
    if (market.draft.slug.startsWith('eth-updown') && (market.event.startMs ?? 0) <= world.nowMs)
      world.settleNow(market)
}

/** A busy market that is followed by one socket is sent to the others too. */
function strayMarket(simulator: Simulator): void {
  const stray = [...simulator.world.markets.values()].find(({ draft }) => draft.slug.startsWith('eth-updown-5m'))
  switchOn(simulator, { name: 'stray-market', target: { market: stray?.conditionId } })
}

function switchOn({ addresses }: Simulator, order: object): void {
  void fetch(`${addresses.admin}/faults`, {
    method: 'POST',
    body: JSON.stringify(order),
    headers: { 'content-type': 'application/json' },
  })
}
