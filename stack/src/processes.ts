import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A pid can be reused by another process; pid and start time together identify one process. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startTicks: string
}

export function identify(pid: number): ProcessIdentity | undefined {
  const fields = statFields(pid)
  const startTicks = fields?.[19]
  return startTicks === undefined || fields?.[0] === 'Z' ? undefined : { pid, startTicks }
}

export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startTicks === process.startTicks
}

export async function untilGone(process: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadlineMs = Date.now() + timeoutMs
  while (isAlive(process)) {
    if (Date.now() > deadlineMs) return false
    await sleep(20)
  }
  return true
}

/** Children, their children and so on, parents before children. */
export function descendants(pid: number): ProcessIdentity[] {
  const children = readdirOrNone(`/proc/${pid}/task`).flatMap((thread) =>
    readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => {
    const identity = identify(child)
    return identity ? [identity, ...descendants(child)] : []
  })
}

export function sendSignal(process: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(process)) return
  try {
    globalThis.process.kill(process.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Resident memory of the process plus the private memory of its children. */
export function residentBytes(pid: number): number {
  const children = descendants(pid).reduce((sum, child) => sum + statusKilobytes(child.pid, 'RssAnon'), 0)
  return 1024 * (statusKilobytes(pid, 'VmRSS') + children)
}

function statusKilobytes(pid: number, field: string): number {
  return Number(readOrEmpty(`/proc/${pid}/status`).match(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm'))?.[1] ?? 0)
}

/** Fields of /proc/<pid>/stat from the state on; the name before them may itself contain spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`)
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
