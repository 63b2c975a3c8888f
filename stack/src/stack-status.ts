import { engineOf } from './engine-plans.ts'
import type { EngineId } from './engines/engine.ts'
import { isAlive, residentBytes } from './processes.ts'
import { type EngineRecord, readRecord } from './stack-record.ts'

const PROBE_TIMEOUT_MS = 5_000

export type EngineHealth = 'healthy' | 'not answering' | 'down'

export interface EngineStatus {
  readonly id: EngineId
  readonly health: EngineHealth
  readonly address: string
  readonly pid?: number
  readonly residentBytes?: number
  readonly uptimeMs?: number
}

export interface StackStatus {
  readonly dir: string
  /** `abandoned`: the supervisor was killed and its folder is left. */
  readonly state: 'running' | 'starting' | 'abandoned' | 'none'
  readonly supervisorPid?: number
  readonly engines: readonly EngineStatus[]
}

export async function stackStatus(dir: string): Promise<StackStatus> {
  const record = readRecord(dir)
  if (!record) return { dir, state: 'none', engines: [] }
  const engines = await Promise.all(record.engines.map(engineStatus))
  if (!isAlive(record.supervisor)) return { dir, state: 'abandoned', engines }
  const state = record.healthyAfterMs === undefined ? 'starting' : 'running'
  return { dir, state, supervisorPid: record.supervisor.pid, engines }
}

export function isHealthy(status: StackStatus): boolean {
  return status.state === 'running' && status.engines.every(({ health }) => health === 'healthy')
}

async function engineStatus({ plan, process, startedAtMs }: EngineRecord): Promise<EngineStatus> {
  const engine = engineOf(plan)
  const { id } = plan
  if (!process || !isAlive(process)) return { id, health: 'down', address: engine.address }
  const health = await engine.probe(AbortSignal.timeout(PROBE_TIMEOUT_MS)).then(
    () => 'healthy' as const,
    () => 'not answering' as const,
  )
  return {
    id,
    health,
    address: engine.address,
    pid: process.pid,
    residentBytes: residentBytes(process.pid),
    uptimeMs: Date.now() - startedAtMs,
  }
}
