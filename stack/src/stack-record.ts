import { readFileSync } from 'node:fs'
import { link, mkdir, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EnginePlan, engineOf } from './engine-plans.ts'
import { isAlive, type ProcessIdentity, sendSignal, untilGone } from './processes.ts'

/** State of a stack in `stack.json` of its folder, written by the supervisor and read by later commands. */
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
  /** How long the last start took until the engine was healthy. */
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

/** Takes the folder for this stack. Of two supervisors that try at the same time, only one succeeds. */
export async function claimFolder(dir: string, record: StackRecord): Promise<void> {
  // The parent folder must exist: do not create folders that `down` would not remove.
  await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST')
      throw new Error(`${dir} cannot be created: ${error.message}. Its parent folder must exist and be writable.`)
  })
  const otherFiles = (await readdir(dir)).filter((name) => !name.startsWith('stack.json'))
  if (otherFiles.length > 0)
    throw new Error(
      `${dir} contains other files (${otherFiles.slice(0, 3).join(', ')}) and was not changed. Use an empty folder.`,
    )
  const draft = await writeDraft(dir, record)
  try {
    await link(draft, recordFile(dir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`Another stack was started in ${dir} at the same time. Use another folder.`)
  } finally {
    await unlink(draft)
  }
}

/** Replaces the record atomically. */
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

/** Cleans up after a killed supervisor: kills engines that still run (none should), then removes the folder. */
export async function removeAbandoned(dir: string, record: StackRecord): Promise<void> {
  if (isAlive(record.supervisor))
    throw new Error(`The stack in ${dir} is still running. Stop it with: npm run stack -- down`)
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
