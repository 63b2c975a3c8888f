import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { RawSink } from '../domain/raw-record.ts'
import type { Assumption, Finding } from './assumption.ts'
import type { Run } from './field.ts'
import { HYPERLIQUID_ASSUMPTIONS } from './hyperliquid/assumptions.ts'
import { checkHyperliquid } from './hyperliquid/check-hyperliquid.ts'
import { Ledger } from './ledger.ts'
import { POLYMARKET_ASSUMPTIONS } from './polymarket/assumptions.ts'
import { checkPolymarket } from './polymarket/check-polymarket.ts'
import { SPOT_ASSUMPTIONS } from './spot/assumptions.ts'
import { checkSpot } from './spot/check-spot.ts'

/** The addresses of the venues that can be checked, by the names of their settings. */
export interface VenueAddresses {
  readonly POLYMARKET_GAMMA_URL: string
  readonly POLYMARKET_CLOB_URL: string
  readonly POLYMARKET_SOCKET_URL: string
  readonly POLYMARKET_PRICE_SOCKET_URL: string
  readonly HYPERLIQUID_INFO_URL: string
  readonly HYPERLIQUID_SOCKET_URL: string
  readonly BINANCE_REST_URL: string
  readonly BINANCE_SOCKET_URL: string
}

export interface FieldReport {
  readonly venue: CheckedVenue
  readonly addresses: readonly string[]
  readonly startedAt: string
  readonly seconds: number
  readonly frames: number
  readonly restAnswers: number
  /** The longest time for which this machine was too busy to read frames; times within it are not reliable. */
  readonly longestPauseMs: number
  /** Whether no assumption that the recorder relies on is contradicted, and no part of the check failed. */
  readonly isSound: boolean
  readonly problems: readonly string[]
  readonly findings: readonly Finding[]
}

interface VenueCheck {
  readonly assumptions: Readonly<Record<string, Assumption>>
  addresses(all: VenueAddresses): readonly string[]
  begin(all: VenueAddresses): { ledger: Ledger<string>; run: (run: Run) => Promise<void> }
}

function polymarketCheck(): VenueCheck {
  return {
    assumptions: POLYMARKET_ASSUMPTIONS,
    addresses: (all) => [all.POLYMARKET_GAMMA_URL, all.POLYMARKET_CLOB_URL, all.POLYMARKET_SOCKET_URL],
    begin: (all) => {
      const ledger = new Ledger(POLYMARKET_ASSUMPTIONS)
      const addresses = {
        gammaUrl: all.POLYMARKET_GAMMA_URL,
        clobUrl: all.POLYMARKET_CLOB_URL,
        socketUrl: all.POLYMARKET_SOCKET_URL,
      }
      return { ledger, run: (run) => checkPolymarket(run, addresses, ledger) }
    },
  }
}

function hyperliquidCheck(): VenueCheck {
  return {
    assumptions: HYPERLIQUID_ASSUMPTIONS,
    addresses: (all) => [all.HYPERLIQUID_INFO_URL, all.HYPERLIQUID_SOCKET_URL],
    begin: (all) => {
      const ledger = new Ledger(HYPERLIQUID_ASSUMPTIONS)
      const addresses = { infoUrl: all.HYPERLIQUID_INFO_URL, socketUrl: all.HYPERLIQUID_SOCKET_URL }
      return { ledger, run: (run) => checkHyperliquid(run, addresses, ledger) }
    },
  }
}

function spotCheck(): VenueCheck {
  return {
    assumptions: SPOT_ASSUMPTIONS,
    addresses: (all) => [all.BINANCE_REST_URL, all.BINANCE_SOCKET_URL, all.POLYMARKET_PRICE_SOCKET_URL],
    begin: (all) => {
      const ledger = new Ledger(SPOT_ASSUMPTIONS)
      const addresses = {
        restUrl: all.BINANCE_REST_URL,
        streamUrl: all.BINANCE_SOCKET_URL,
        priceSocketUrl: all.POLYMARKET_PRICE_SOCKET_URL,
      }
      return { ledger, run: (run) => checkSpot(run, addresses, ledger) }
    },
  }
}

export const VENUE_CHECKS = {
  polymarket: polymarketCheck(),
  hyperliquid: hyperliquidCheck(),
  spot: spotCheck(),
} as const satisfies Record<string, VenueCheck>

export type CheckedVenue = keyof typeof VENUE_CHECKS
export const CHECKED_VENUES = Object.keys(VENUE_CHECKS) as CheckedVenue[]

export interface FieldcheckOptions {
  readonly venue: CheckedVenue
  readonly addresses: VenueAddresses
  readonly durationMs: number
  readonly raw: RawSink
  /** Ends the run early; what was seen until then is reported. */
  readonly signal?: AbortSignal
  readonly progress?: (line: string) => void
}

const PROGRESS_EVERY_MS = 10_000

/** Tests every assumption about a venue against its real addresses. */
export async function runFieldcheck(options: FieldcheckOptions): Promise<FieldReport> {
  const { venue, addresses, durationMs, raw, progress = () => {} } = options
  const end = new AbortController()
  const run: Run = {
    signal: options.signal === undefined ? end.signal : AbortSignal.any([end.signal, options.signal]),
    end: () => end.abort(),
    startedAtMs: Date.now(),
    durationMs,
    raw,
    counters: { frames: 0, answers: 0 },
    problems: [],
  }
  const { ledger, run: check } = VENUE_CHECKS[venue].begin(addresses)
  const pauses = monitorEventLoopDelay()
  pauses.enable()
  const timer = setInterval(() => progress(progressLine(run, ledger)), PROGRESS_EVERY_MS)
  try {
    await check(run)
  } finally {
    end.abort()
    clearInterval(timer)
    pauses.disable()
  }
  const findings = ledger.findings()
  const isContradicted = findings.some(({ isRelied, verdict }) => isRelied && verdict === 'contradicted')
  return {
    venue,
    addresses: VENUE_CHECKS[venue].addresses(addresses),
    startedAt: new Date(run.startedAtMs).toISOString(),
    seconds: Math.round((Date.now() - run.startedAtMs) / 1_000),
    frames: run.counters.frames,
    restAnswers: run.counters.answers,
    longestPauseMs: Math.round(pauses.max / 1e6),
    isSound: !isContradicted && run.problems.length === 0,
    problems: run.problems,
    findings,
  }
}

function progressLine({ startedAtMs, durationMs, counters }: Run, ledger: Ledger<string>): string {
  const verdicts = ledger.findings().map(({ verdict }) => verdict)
  const count = (wanted: string): number => verdicts.filter((verdict) => verdict === wanted).length
  const passed = `${clockText(Date.now() - startedAtMs)} of ${clockText(durationMs)}`
  return `${passed}  ${counters.frames} frames, ${counters.answers} REST answers; so far ${count('confirmed')} confirmed, ${count('contradicted')} contradicted, ${count('not seen')} not seen`
}

function clockText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
