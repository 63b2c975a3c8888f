import { rowsIn } from '@bookreel/service/bus/batch'
import { gapSchema, isRowGap } from '@bookreel/service/domain/rows/gap'
import { shardsOf } from '@bookreel/service/domain/shards'
import type { Scene } from './schedule.ts'
import { GROUP, SHARDS, TICK_MS, TTL_MS } from './virtual-recorder.ts'

export const INVARIANTS = {
  one_writer: 'no row of an earlier holder is stored after one of a later holder',
  no_silent_hole: 'every slot has a row or a gap record',
  no_duplicate: 'while no recorder loses NATS, no slot is stored twice',
  no_missing_slot: 'with a standby and one trouble at a time, no slot is missing',
  short_gap: 'without a standby, a kill costs no more than the lease and the time to notice its end',
  settled: 'after a quiet time each shard is recorded by the recorder with the first rank, and its rows are new',
} as const
export type Invariant = keyof typeof INVARIANTS

/** A lease, its marker, the wait of a recorder that is not ready, and a second that the state may be old. */
const LONGEST_GAP_MS = TTL_MS + 4_500
const NEW_MS = 3_000

/** What is wrong in the scene: each invariant with an example. */
export function judgeScene(scene: Scene): Map<Invariant, string> {
  const found = new Map<Invariant, string>()
  const note = (invariant: Invariant, example: string): void => {
    if (!found.has(invariant)) found.set(invariant, example)
  }
  const slots = new Map(
    scene.markets.map(({ id }) => [id, { rows: new Map<number, number>(), missing: new Set<number>() }]),
  )
  const epochs = new Map<string, number>()
  for (const { batch } of scene.bus.accepted) {
    const { shard, epoch } = batch
    if (epoch < (epochs.get(shard) ?? 0)) note('one_writer', `${shard}: epoch ${epoch} after ${epochs.get(shard)}`)
    epochs.set(shard, Math.max(epoch, epochs.get(shard) ?? 0))
    for (const { marketId, slot } of batch.index()) {
      const rows = slots.get(marketId)?.rows
      rows?.set(slot, (rows.get(slot) ?? 0) + 1)
    }
    for (const gap of rowsIn(batch, 'gaps', gapSchema)) {
      if (!isRowGap(gap) || gap.kind !== 'missing') continue
      for (let slot = gap.fromSlot; slot <= gap.toSlot; slot++) slots.get(gap.marketId)?.missing.add(slot)
    }
  }
  for (const [id, { rows, missing }] of slots) {
    const [first, last] = [Math.min(...rows.keys()), Math.max(...rows.keys())]
    let missingInRow = 0
    for (let slot = first; slot <= last; slot++) {
      if ((rows.get(slot) ?? 0) > 1 && scene.kind !== 'wild') note('no_duplicate', `${id.slice(0, 8)} slot ${slot}`)
      missingInRow = rows.has(slot) ? 0 : missingInRow + 1
      if (rows.has(slot)) continue
      if (!missing.has(slot)) note('no_silent_hole', `${id.slice(0, 8)} slot ${slot}`)
      if (scene.kind === 'calm') note('no_missing_slot', `${id.slice(0, 8)} slot ${slot}`)
      if (scene.kind === 'alone' && missingInRow * TICK_MS > LONGEST_GAP_MS)
        note('short_gap', `${id.slice(0, 8)}: ${missingInRow * TICK_MS} ms up to slot ${slot}`)
    }
    if (scene.endedAtMs - last * TICK_MS > NEW_MS)
      note('settled', `${id.slice(0, 8)} has no row for ${scene.endedAtMs - last * TICK_MS} ms`)
  }
  const shards = shardsOf(GROUP, SHARDS)
  for (const { name, board } of scene.living)
    for (const shard of shards) {
      const [firstRank] = board.ranksOf(GROUP, shards).get(shard) ?? []
      const holder = scene.living.find((each) => each.name === board.holderOf(shard))
      if (holder === undefined || holder.board.rankName !== firstRank)
        note('settled', `${name} sees ${shard} at ${board.holderOf(shard)}, first rank ${firstRank}`)
    }
  return found
}
