import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_AFTER_MS = 5_000

/** Writes the plans once, as soon as the database is available. */
export async function publishPlans(
  { publish, failed }: { publish: () => Promise<void>; failed: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await publish()
    } catch (error) {
      failed(error)
      await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
    }
  }
}
