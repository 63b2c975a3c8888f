import type { Lease } from './lease.ts'
import type { ShardLeases } from './shard-leases.ts'

export interface LeadingOptions {
  readonly leases: Pick<ShardLeases, 'take' | 'timer'>
  /** What only one process may do at a time. */
  readonly key: string
  readonly onTrouble: (error: unknown) => void
}

const LOOK_EVERY_MS = 1_000

/** Runs the task while this process holds the lease of it; waits while another one does. */
export async function whileLeading(
  { leases, key, onTrouble }: LeadingOptions,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const lease = await leases.take(key).catch((error: unknown) => onTrouble(error))
    if (lease) await lead(lease)
    else await leases.timer.sleep(LOOK_EVERY_MS, signal)
  }

  async function lead(lease: Lease): Promise<void> {
    const stop = new AbortController()
    const end = (): void => stop.abort()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const running = run(stop.signal)
    const renewing = keepRenewed(lease, stop)
    try {
      await Promise.race([running, renewing])
    } finally {
      end()
      signal.removeEventListener('abort', end)
      await Promise.all([running, renewing])
      await lease.release().catch(onTrouble)
    }
  }

  /** Ends when another process holds the lease, or may hold it. */
  async function keepRenewed(lease: Lease, stop: AbortController): Promise<void> {
    while (!stop.signal.aborted) {
      await leases.timer.sleep(LOOK_EVERY_MS, stop.signal)
      if (stop.signal.aborted) return
      const isOurs = await lease.renew().catch((error: unknown) => {
        onTrouble(error)
        return lease.isHeld
      })
      if (!isOurs) return stop.abort()
    }
  }
}
