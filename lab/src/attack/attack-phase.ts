import { setTimeout as sleep } from 'node:timers/promises'
import type { ListeningProcess } from '../listening-process.ts'
import { memoryMbOf } from '../process-memory.ts'
import type { HonestCustomers, HonestReport } from './honest-customers.ts'
import type { Told } from './tally.ts'

interface LoopDelay {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}

export interface Phase {
  readonly honest: HonestReport
  readonly told: Readonly<Record<string, Told>>
  readonly loopDelay: LoopDelay
  /** Of the API, once a second. */
  readonly memoryMb: readonly number[]
}

const LOOK_EVERY_MS = 1_000

/** Measures customers and API while the generators run. */
export async function measurePhase(
  api: ListeningProcess,
  customers: HonestCustomers,
  attack: Promise<Readonly<Record<string, Told>>>,
  onSecond: (second: number) => void,
): Promise<Phase> {
  customers.report()
  await api.ask({ loopDelay: true })
  const memoryMb: number[] = []
  const over = new AbortController()
  const looking = (async () => {
    while (!over.signal.aborted) {
      memoryMb.push(memoryMbOf(api.pid))
      onSecond(memoryMb.length)
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  try {
    const told = await attack
    const loopDelay = (await api.ask({ loopDelay: true })) as LoopDelay
    return { honest: customers.report(), told, loopDelay, memoryMb }
  } finally {
    over.abort()
    await looking
  }
}
