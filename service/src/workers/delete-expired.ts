import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 3_600_000

/** Once an hour, and at the start. A failure is reported and tried again an hour later. */
export async function deleteExpired(
  { remove, failed }: { remove: () => Promise<number>; failed: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await remove().catch(failed)
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
