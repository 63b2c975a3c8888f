import type { Market } from '@bookreel/service/domain/market'
import { type Gap, writeGap } from '@bookreel/service/domain/rows/gap'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import type { RowInserter } from '@bookreel/service/stores/books/row-inserter'
import type { Progress } from './experiment.ts'
import { MADE_UP_INTERVAL_MS } from './made-up-market.ts'
import { worldTicks } from './world-rows.ts'

const SCHEMA = 1
const ROWS_AT_ONCE = 20_000
/** Missing slots of each market, so that the hour has gaps. */
const GAP_SLOTS = 12

interface FilledHour {
  readonly slots: number
  readonly hourMs: number
}

/** Books of a simulated world under the ids of the given markets and in the given hour. */
export async function fillHour(
  inserter: RowInserter,
  markets: readonly Market[],
  { slots, hourMs }: FilledHour,
  progress: Progress,
): Promise<void> {
  const writer = new RowWriter()
  const firstSlot = hourMs / MADE_UP_INTERVAL_MS
  const missing = (slot: number): boolean =>
    slot >= firstSlot + slots - 2 * GAP_SLOTS && slot < firstSlot + slots - GAP_SLOTS
  let [slot, waiting] = [firstSlot, 0]
  const insert = async (): Promise<void> => {
    if (waiting > 0) await inserter.insertRaw('snapshots', SCHEMA, [writer.take()])
    waiting = 0
    progress(`${slot - firstSlot} of ${slots} slots of ${markets.length} markets stored`)
  }
  for (const tick of worldTicks({ hot: 0, medium: 0, cold: markets.length }, slots)) {
    const atMs = slot * MADE_UP_INTERVAL_MS
    for (const [index, { id: marketId }] of missing(slot) ? [] : markets.entries()) {
      const row = tick[index % tick.length]?.snapshot
      if (row === undefined) continue
      const times = { capturedAtMs: atMs + (index % 7), eventAtMs: atMs - 40, receivedAtMs: atMs - 20 }
      writeSnapshot(writer, { ...row, ...times, marketId, slot })
      waiting++
    }
    slot++
    if (waiting >= ROWS_AT_ONCE) await insert()
  }
  await insert()
  for (const { id: marketId } of markets) writeGap(writer, gapOf(marketId, firstSlot + slots - 2 * GAP_SLOTS))
  await inserter.insertRaw('gaps', SCHEMA, [writer.take()])
}

function gapOf(marketId: string, fromSlot: number): Gap {
  const toSlot = fromSlot + GAP_SLOTS - 1
  const why = { kind: 'missing', cause: 'disconnected', detail: '' } as const
  return { marketId, intervalMs: MADE_UP_INTERVAL_MS, fromSlot, toSlot, knownAtSlot: toSlot + 1, ...why }
}
