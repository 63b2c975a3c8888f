import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS, dayAvailableAtMs, dayText, HOLES_FILL_WITHIN_MS, RECOUNTED_FOR_MS } from '../domain/day-file.ts'
import type { FileDays } from '../stores/files/file-days.ts'
import type { FileSubject } from '../stores/files/file-subject.ts'
import type { Files, NewFile } from '../stores/files/files.ts'
import { type FileMaker, makeFile, type Postponed } from './make-file.ts'

export interface FilesMeter {
  made(file: NewFile): void
  postponed(subject: string, dayMs: number, reason: Postponed | 'not_listed_yet'): void
  /** It is tried again in the next round. `what`: the file or day; undefined for the signing. */
  failed(error: unknown, what?: string): void
}

export interface FilesDeps extends FileMaker {
  readonly days: FileDays
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
  // The files of many days take hours, and what was made in an hour is signed when the hour has ended.
  await Promise.all([repeat(deps, makeDueFiles, signal), repeat(deps, sealEnded, signal)])
}

type Work = (deps: FilesDeps, signal: AbortSignal) => Promise<void>

async function repeat(deps: FilesDeps, work: Work, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work(deps, signal).catch((error: unknown) => {
      if (!signal.aborted) deps.meter.failed(error)
    })
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Every file of a finished day that does not exist, then every file that lacks rows, or whose rows were corrected. */
export async function makeDueFiles(deps: FilesDeps, signal: AbortSignal): Promise<void> {
  const { files, nowMs } = deps
  const [days, finished] = await Promise.all([deps.days.daysBefore(nowMs()), files.finishedDays()])
  const due = days.filter((dayMs) => !finished.has(dayMs) && nowMs() >= dayAvailableAtMs(dayMs))
  const ofDay = (dayMs: number, work: () => Promise<void>) => orNextRound(deps, dayMs, work, signal)
  for (const dayMs of due) await ofDay(dayMs, () => makeDay(deps, dayMs, signal))
  const late = await recountDays(deps)
  for (const dayMs of days.filter((each) => finished.has(each) && late.has(each)))
    await ofDay(dayMs, () => remakeChanged(deps, dayMs, signal))
  for (const [dayMs, names] of await files.outdated())
    await ofDay(dayMs, () => remakeOutdated(deps, dayMs, names, signal))
}

/** A day that fails does not hold up the days after it. */
async function orNextRound(
  { meter }: FilesDeps,
  dayMs: number,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    signal.throwIfAborted()
    meter.failed(error, dayText(dayMs))
  }
}

async function remakeOutdated(
  deps: FilesDeps,
  dayMs: number,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { subjects } = await deps.days.subjectsOf(dayMs)
  const newest = await deps.files.newestOf(dayMs)
  for (const subject of subjects.filter(({ name }) => names.includes(name)))
    await makeOne(deps, subject, (newest.get(subject.name) ?? 0) + 1, signal)
}

async function sealEnded({ seal }: FilesDeps, signal: AbortSignal): Promise<void> {
  await seal?.(signal)
}

async function makeDay(deps: FilesDeps, dayMs: number, signal: AbortSignal): Promise<void> {
  const { days, files, meter, nowMs } = deps
  const { subjects, unlisted } = await days.subjectsOf(dayMs)
  const made = await files.newestOf(dayMs)
  let isComplete = unlisted.length === 0 || nowMs() - dayAvailableAtMs(dayMs) >= HOLES_FILL_WITHIN_MS
  for (const marketId of unlisted) meter.postponed(marketId, dayMs, 'not_listed_yet')
  for (const subject of subjects.filter(({ name }) => !made.has(name))) {
    // A gap record may still be missing as long as rows are.
    if (subject.kind === 'gaps' && !isComplete) continue
    const isMade = await makeOne(deps, subject, 1, signal)
    isComplete &&= isMade
  }
  if (isComplete) await files.finishDay(dayMs)
}

/** Finished days whose rows may have come late, and those of an outage that has just become known. */
async function recountDays({ days, recountedAtMs, nowMs }: FilesDeps): Promise<Set<number>> {
  const sinceMs = nowMs() - RECOUNTED_FOR_MS
  const known = (await days.daysOfGapsKnownSince(sinceMs)).filter((dayMs) => dayMs + DAY_MS <= nowMs())
  const recent: number[] = []
  for (let dayMs = Math.floor(nowMs() / DAY_MS) * DAY_MS - DAY_MS; dayMs + DAY_MS > sinceMs; dayMs -= DAY_MS)
    recent.push(dayMs)
  return new Set([...recent, ...known].filter((dayMs) => nowMs() - (recountedAtMs.get(dayMs) ?? 0) >= RECOUNT_EVERY_MS))
}

/** A day whose end was stored late, or whose markets were listed late, has files that lack them. */
async function remakeChanged(deps: FilesDeps, dayMs: number, signal: AbortSignal): Promise<void> {
  const { days, files, clickhouse, recountedAtMs, nowMs } = deps
  const startedAtMs = nowMs()
  const { subjects } = await days.subjectsOf(dayMs)
  const contents = await files.contentsOf(dayMs)
  for (const subject of subjects) {
    const made = contents.get(subject.name)
    const isSame = made !== undefined && (await subject.isIn(made, clickhouse, signal))
    if (!isSame) await makeOne(deps, subject, (made?.revision ?? 0) + 1, signal)
  }
  // A day whose count failed is counted again in the next round.
  recountedAtMs.set(dayMs, startedAtMs)
}

/** Whether the file exists now. One that fails does not hold up the others. */
async function makeOne(deps: FilesDeps, subject: FileSubject, revision: number, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted()
  try {
    const made = await makeFile(deps, { subject, revision }, signal)
    if (typeof made !== 'string') {
      deps.meter.made(made)
      return true
    }
    deps.meter.postponed(subject.name, subject.dayMs, made)
  } catch (error) {
    signal.throwIfAborted()
    deps.meter.failed(error, subject.name)
  }
  return false
}
