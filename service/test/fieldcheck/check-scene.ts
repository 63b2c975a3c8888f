import { setTimeout as sleep } from 'node:timers/promises'
import { type CheckedVenue, type FieldReport, runFieldcheck } from '@bookreel/service/fieldcheck/run-fieldcheck'
import type { FaultOrder } from '@bookreel/simulator/faults/switchboard'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import { type Behaviour, REALISTIC } from '@bookreel/simulator/world/behaviours'
import type { BrokenRule } from '@bookreel/simulator/world/broken-rules'
import type { WorldSize } from '@bookreel/simulator/world/roster'
import { venueSettings } from '@bookreel/testbed/venue-settings'

export interface BrokenVenue {
  readonly broken?: readonly BrokenRule[]
  readonly faults?: readonly FaultOrder[]
  readonly without?: readonly Behaviour[]
  /** Windows that ended before the start. */
  readonly pastMs?: number
  readonly size?: WorldSize
  /** Something that happens during the run. */
  readonly meanwhile?: (simulator: Simulator) => void
  /** It happens when so many sockets are connected; the default is that of the check of Polymarket. */
  readonly connections?: number
}

/** Chance would decide whether these show in a short run. */
const NOT_IN_TESTS: readonly Behaviour[] = ['lost-resolutions', 'socket-stalls']
/** After all sockets are connected. */
const MEANWHILE_AFTER_MS = 1_500
const ALL_CONNECTED = 7
const LONG_PAUSE_MS = 700
const FEW_AT_ONCE = 5

/** A simulated venue that is as it should be, except for what is given. */
async function startVenue(given: BrokenVenue): Promise<Simulator> {
  const left = [...NOT_IN_TESTS, ...(given.without ?? [])]
  return startSimulator({
    seed: 'field',
    startMs: Date.now(),
    size: given.size ?? { hot: 10, medium: 8, cold: 90 },
    openWindows: 'medium',
    speed: 1,
    port: 0,
    faults: given.faults ?? [],
    behaviours: REALISTIC.filter((name) => !left.includes(name)),
    broken: given.broken ?? [],
    pastMs: given.pastMs ?? 0,
  })
}

/** Runs the check against this venue, and stops it. */
async function checkVenue(
  venue: CheckedVenue,
  durationMs: number,
  simulator: Simulator,
  { meanwhile, connections: wanted = ALL_CONNECTED }: BrokenVenue,
): Promise<FieldReport> {
  const watch = new AbortController()
  const happened = untilConnected(simulator, wanted, watch.signal).then(() => {
    if (!watch.signal.aborted) meanwhile?.(simulator)
  })
  try {
    const addresses = venueSettings(simulator.addresses) as unknown as Parameters<typeof runFieldcheck>[0]['addresses']
    return await runFieldcheck({ venue, addresses, durationMs, raw: { append: () => {} } })
  } finally {
    watch.abort()
    await happened
    await simulator.stop()
  }
}

/** Some time after so many sockets are connected, or at the signal. */
async function untilConnected({ addresses }: Simulator, wanted: number, signal: AbortSignal): Promise<void> {
  for (let count = 0; count < wanted && !signal.aborted; ) {
    await sleep(200)
    count = ((await (await fetch(`${addresses.admin}/connections`)).json()) as unknown[]).length
  }
  await sleep(MEANWHILE_AFTER_MS, undefined, { signal }).catch(() => {})
}

/** Checks all these venues, some at the same time. */
export async function checkAll(
  venue: CheckedVenue,
  { durationMs, atOnce }: { durationMs: number; atOnce: number },
  venues: Readonly<Record<string, BrokenVenue>>,
): Promise<Map<string, FieldReport>> {
  const started = new Map<string, Simulator>()
  // Living through the past keeps the process busy, so it comes before the first check.
  for (const [name, given] of Object.entries(venues))
    if (given.pastMs !== undefined) started.set(name, await startVenue(given))
  const reports = new Map<string, FieldReport>()
  // As its user would: what a busy machine saw, or had no time to see, is checked again, with fewer beside and for longer.
  for (const [ofThese, lastsMs] of [
    [atOnce, durationMs],
    [FEW_AT_ONCE, 2 * durationMs],
    [1, 2 * durationMs],
  ] as const) {
    const left = Object.entries(venues).filter(([name]) => !wasSeen(name, reports.get(name)))
    const next = left.values()
    await Promise.all(
      Array.from({ length: ofThese }, async () => {
        for (const [name, given] of next) {
          const simulator = started.get(name) ?? (await startVenue(given))
          started.delete(name)
          reports.set(name, await checkVenue(venue, lastsMs, simulator, given))
        }
      }),
    )
  }
  return reports
}

function wasSeen(name: string, report: FieldReport | undefined): boolean {
  if (report === undefined || report.longestPauseMs > LONG_PAUSE_MS) return false
  return report.findings.find(({ id }) => id === name)?.verdict !== 'not seen'
}

export function verdicts({ findings }: FieldReport, wanted: string): string[] {
  return findings.filter(({ verdict }) => verdict === wanted).map(({ id }) => id)
}
