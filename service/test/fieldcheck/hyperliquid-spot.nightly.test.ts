// Nightly: watches simulated sockets for seconds of real time.
import type { Assumption } from '@bookreel/service/fieldcheck/assumption'
import { type CheckedVenue, type FieldReport, VENUE_CHECKS } from '@bookreel/service/fieldcheck/run-fieldcheck'
import type { Simulator } from '@bookreel/simulator/simulator'
import { BROKEN_RULES, type BrokenRule } from '@bookreel/simulator/world/broken-rules'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BrokenVenue, checkAll, verdicts } from './check-scene.ts'

/** One round: these checks need little of the processor. */
const RUN = { durationMs: 13_000, atOnce: 16 }
/** The prices of coins do not depend on markets. */
const NO_MARKETS = { hot: 0, medium: 0, cold: 1 }
const AS_IT_SHOULD_BE = 'as it should be'

/** How the simulator breaks those assumptions that have no broken rule of their own name. */
const BROKEN_OTHERWISE: Readonly<Record<string, BrokenVenue>> = {
  'hyperliquid.book-times': { faults: [{ name: 'stale-perp-book' }] },
  'hyperliquid.frames-on-time': { faults: [{ name: 'clock-offset', options: { ms: -8_000 } }] },
  'hyperliquid.stays-open': { meanwhile: disconnect, connections: 2 },
  'hyperliquid.known-frames': { faults: [{ name: 'unknown-event', target: { feed: 'hyperliquid' } }] },
  'spot.book-tickers': { faults: [{ name: 'ignore-later-subscribes', target: { feed: 'binance' } }] },
  'spot.price-socket': { faults: [{ name: 'rtds-removed' }] },
  'spot.known-frames': { faults: [{ name: 'unknown-event', target: { feed: 'rtds' } }] },
}

describe.each(['hyperliquid', 'spot'] as const)('%s', (venue: CheckedVenue) => {
  const assumptions: Readonly<Record<string, Assumption>> = VENUE_CHECKS[venue].assumptions
  const ids = Object.keys(assumptions)
  let reports: Map<string, FieldReport>

  beforeAll(async () => {
    const broken = ids.map((id) => [id, brokenVenue(`${venue}.${id}`)] as const)
    reports = await checkAll(venue, RUN, { [AS_IT_SHOULD_BE]: { size: NO_MARKETS }, ...Object.fromEntries(broken) })
  }, 600_000)

  test('every assumption is confirmed by venues as they should be', () => {
    const report = reports.get(AS_IT_SHOULD_BE) as FieldReport
    expect(report.findings.filter(({ verdict }) => verdict !== 'confirmed')).toEqual([])
    expect(report).toMatchObject({ isSound: true, problems: [] })
  })

  test.each(ids)('%s: the report names exactly this one when it is broken', (id) => {
    const report = reports.get(id) as FieldReport
    expect(verdicts(report, 'contradicted'), JSON.stringify(report.findings, null, 1)).toEqual([id])
    expect(report.isSound).toBe(assumptions[id]?.isRelied !== true)
  })
})

function disconnect({ addresses }: Simulator): void {
  void fetch(`${addresses.admin}/faults`, {
    method: 'POST',
    body: JSON.stringify({ name: 'disconnect' }),
    headers: { 'content-type': 'application/json' },
  })
}

function brokenVenue(rule: string): BrokenVenue {
  return { size: NO_MARKETS, ...(rule in BROKEN_RULES && { broken: [rule as BrokenRule] }), ...BROKEN_OTHERWISE[rule] }
}
