import { setTimeout as sleep } from 'node:timers/promises'
import {
  DAY_MS,
  dayAvailableAtMs,
  type FileSubject,
  HOLES_FILL_WITHIN_MS,
  RECOUNTED_FOR_MS,
  subjectsOf,
  TOKENS,
} from '../domain/day-file.ts'
import type { DayMarketStore } from '../stores/files/day-markets.ts'
import type { FileContents, Files, NewFile } from '../stores/files/files.ts'
import { type FileMaker, makeFile, type Postponed } from './make-file.ts'

export interface FilesMeter {
  made(file: NewFile): void
  postponed(subject: string, dayMs: number, reason: Postponed | 'not_listed_yet'): void
  /** It is tried again in the next round. */
  failed(error: unknown, subject?: string): void
}

export interface FilesDeps extends FileMaker {
  readonly dayMarkets: DayMarketStore
  readonly files: Pick<
    Files,
    'add' | 'correctionsOf' | 'newestOf' | 'contentsOf' | 'finishedDays' | 'finishDay' | 'outdated'
  >
  /** When each finished day was counted again last. */
  readonly recountedAtMs: Map<number, number>
  readonly meter: FilesMeter
  /** Signs what was made in the hours that have ended; undefined without a key. */
  readonly seal?: ((signal: AbortSignal) => Promise<void>) | undefined
}

const EVERY_MS = 60_000
const RECOUNT_EVERY_MS = 3_600_000

/** Makes the files of finished days until the signal. All progress is in the stores: another process can go on. */
export async function runFiles(deps: FilesDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const work of [makeDueFiles, sealEnded])
      await work(deps, signal).catch((error: unknown) => {
        if (!signal.aborted) deps.meter.failed(error)
      })
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Every file of a finished day that does not exist, then every file that lacks rows, or whose rows were corrected. */
export async function makeDueFiles(deps: FilesDeps, signal: AbortSignal): Promise<void> {
  const { dayMarkets, files, nowMs } = deps
  const [days, finished] = await Promise.all([dayMarkets.daysBefore(nowMs()), files.finishedDays()])
  const due = days.filter((dayMs) => !finished.has(dayMs) && nowMs() >= dayAvailableAtMs(dayMs))
  for (const dayMs of due) await makeDay(deps, dayMs, signal)
  for (const dayMs of days.filter((each) => finished.has(each))) await remakeChanged(deps, dayMs, signal)
  for (const [dayMs, names] of await files.outdated()) {
    const { markets } = await dayMarkets.marketsOf(dayMs)
    const newest = await files.newestOf(dayMs)
    for (const subject of subjectsOf(markets).filter(({ name }) => names.includes(name)))
      await makeOne(deps, subject, dayMs, (newest.get(subject.name) ?? 0) + 1, signal)
  }
}

async function sealEnded({ seal }: FilesDeps, signal: AbortSignal): Promise<void> {
  await seal?.(signal)
}

async function makeDay(deps: FilesDeps, dayMs: number, signal: AbortSignal): Promise<void> {
  const { dayMarkets, files, meter, nowMs } = deps
  const { markets, unlisted } = await dayMarkets.marketsOf(dayMs)
  const made = await files.newestOf(dayMs)
  let isComplete = unlisted.length === 0 || nowMs() - dayAvailableAtMs(dayMs) >= HOLES_FILL_WITHIN_MS
  for (const marketId of unlisted) meter.postponed(marketId, dayMs, 'not_listed_yet')
  for (const subject of subjectsOf(markets).filter(({ name }) => !made.has(name))) {
    const isMade = await makeOne(deps, subject, dayMs, 1, signal)
    isComplete &&= isMade
  }
  if (isComplete) await files.finishDay(dayMs)
}

/** A day whose end was stored late, or whose markets were listed late, has files that lack them. */
async function remakeChanged(deps: FilesDeps, dayMs: number, signal: AbortSignal): Promise<void> {
  const { dayMarkets, files, recountedAtMs, nowMs } = deps
  const isOver = nowMs() >= dayMs + DAY_MS + RECOUNTED_FOR_MS
  if (isOver || nowMs() - (recountedAtMs.get(dayMs) ?? 0) < RECOUNT_EVERY_MS) return
  recountedAtMs.set(dayMs, nowMs())
  const { markets } = await dayMarkets.marketsOf(dayMs)
  const contents = await files.contentsOf(dayMs)
  for (const subject of subjectsOf(markets)) {
    const made = contents.get(subject.name)
    if (!hasAll(made, subject)) await makeOne(deps, subject, dayMs, (made?.revision ?? 0) + 1, signal)
  }
}

function hasAll(made: FileContents | undefined, { markets }: FileSubject): boolean {
  if (made === undefined) return false
  const rows = TOKENS * markets.reduce((sum, { storedSlots }) => sum + storedSlots, 0)
  const ids = new Set(made.marketIds)
  return made.rows === rows && ids.size === markets.length && markets.every(({ marketId }) => ids.has(marketId))
}

/** Whether the file exists now. One that fails does not hold up the others. */
async function makeOne(
  deps: FilesDeps,
  subject: FileSubject,
  dayMs: number,
  revision: number,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted()
  try {
    const made = await makeFile(deps, { subject, dayMs, revision }, signal)
    if (typeof made !== 'string') {
      deps.meter.made(made)
      return true
    }
    deps.meter.postponed(subject.name, dayMs, made)
  } catch (error) {
    signal.throwIfAborted()
    deps.meter.failed(error, subject.name)
  }
  return false
}
