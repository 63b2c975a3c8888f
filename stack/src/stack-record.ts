import { readFileSync } from 'node:fs'
import { link, mkdir, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EnginePlan, engineOf } from './engine-plans.ts'
import { isAlive, type ProcessIdentity, sendSignal, untilGone } from './processes.ts'

/** What the supervisor keeps in `stack.json` of its folder for whoever comes later: status, down, another up. */
export interface StackRecord {
  readonly supervisor: ProcessIdentity
  readonly startedAtMs: number
  /** Absent while the stack is still starting. */
  readonly healthyAfterMs?: number
  readonly engines: readonly EngineRecord[]
}

export interface EngineRecord {
  readonly plan: EnginePlan
  /** Absent while the engine does not run. */
  readonly process?: ProcessIdentity
  readonly startedAtMs: number
  /** How long the latest start took until the engine answered. */
  readonly healthyAfterMs?: number
}

export function environmentFile(dir: string): string {
  return join(dir, 'stack.env')
}

function recordFile(dir: string): string {
  return join(dir, 'stack.json')
}

export function readRecord(dir: string): StackRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(dir), 'utf8')) as StackRecord
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Makes the folder ours. Of two supervisors that try at once, one gets it. */
export async function claimFolder(dir: string, record: StackRecord): Promise<void> {
  // Its parent has to be there: what `down` would not remove again is not made.
  await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new Error(`${dir} cannot be created: ${error.message}`)
  })
  const strangers = (await readdir(dir)).filter((name) => !name.startsWith('stack.json'))
  if (strangers.length > 0)
    throw new Error(`${dir} holds other files (${strangers.slice(0, 3).join(', ')}); not touched`)
  const draft = await writeDraft(dir, record)
  try {
    await link(draft, recordFile(dir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`Another stack was started in ${dir} at the same time`)
  } finally {
    await unlink(draft)
  }
}

/** The record changes in one step: a reader sees the old one or the new one. */
export async function writeRecord(dir: string, record: StackRecord): Promise<void> {
  await rename(await writeDraft(dir, record), recordFile(dir))
}

async function writeDraft(dir: string, record: StackRecord): Promise<string> {
  const draft = `${recordFile(dir)}.${record.supervisor.pid}`
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 })
  return draft
}

export async function writeEnvironment(dir: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(environmentFile(dir), lines.join(''), { mode: 0o600 })
}

/** Removes what a killed supervisor left: engines that outlived it (none should), then the folder. */
export async function removeRemains(dir: string, record: StackRecord): Promise<void> {
  if (isAlive(record.supervisor)) throw new Error(`The stack in ${dir} is running`)
  for (const { plan, process } of record.engines) {
    if (process) {
      sendSignal(process, 'SIGKILL')
      await untilGone(process, 5_000)
    }
    await engineOf(plan).sweep?.()
  }
  await removeFolder(dir)
}

export async function removeFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
