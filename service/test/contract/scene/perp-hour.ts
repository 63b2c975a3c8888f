import type { TestService } from '@bookreel/testbed/service/test-service'
import { PERP_INTERVAL_MS } from '../../../src/domain/plan.ts'
import { perpMarketId } from '../../../src/domain/rows/perp-snapshot.ts'
import { archiveGaps, archivePerps } from '../../http/snapshots-scene.ts'
import { tapeBookRow } from '../../http/tape-scene.ts'

const HOUR_MS = 3_600_000
const SYMBOL = 'ZEC'
export const PERP_HOUR_BOOKS = 40

/** The first books of an hour of a coin; from there until now there are two gaps, of which one is in the hour. */
export async function storePerpHour(
  service: Pick<TestService, 'config'>,
  nowMs: number,
): Promise<Record<string, string>> {
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
  const times = Array.from({ length: PERP_HOUR_BOOKS }, (_, index) => hourMs + index * PERP_INTERVAL_MS)
  await archivePerps(
    service,
    times.map((atMs) => tapeBookRow(SYMBOL, atMs)),
  )
  const fromSlot = hourMs / PERP_INTERVAL_MS + PERP_HOUR_BOOKS
  const endSlot = (hourMs + HOUR_MS) / PERP_INTERVAL_MS
  const gap = {
    marketId: perpMarketId('hyperliquid', SYMBOL),
    knownAtSlot: fromSlot,
    intervalMs: PERP_INTERVAL_MS,
    kind: 'missing',
    detail: '',
  } as const
  await archiveGaps(service, [
    { ...gap, fromSlot, toSlot: endSlot - 1, cause: 'capturer_down' },
    { ...gap, fromSlot: endSlot, toSlot: Math.floor(nowMs / PERP_INTERVAL_MS), cause: 'disconnected' },
  ])
  return {
    'perp.hour': new Date(hourMs).toISOString(),
    'perp.hour.before': new Date(hourMs - HOUR_MS).toISOString(),
  }
}
