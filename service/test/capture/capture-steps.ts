import { World } from '@bookreel/simulator/world/world'
import { expect, vi } from 'vitest'
import type { Snapshot } from '../../src/domain/rows/snapshot.ts'
import type { CaptureScene } from './capture-scene.ts'

/** The open five-minute Bitcoin window, which changes sixteen times a second. */
export function hotMarketId({ simulator }: CaptureScene): string {
  for (const market of simulator.world.markets.values()) {
    const { startMs = 0, endMs } = market.event
    const isOpen = startMs <= simulator.world.nowMs && simulator.world.nowMs < endMs - 30_000
    if (market.activity === 'hot' && market.draft.window !== undefined && isOpen) return market.conditionId
  }
  throw new Error('no window is open long enough')
}

export async function untilRows({ recording }: CaptureScene, marketId: string, count: number): Promise<void> {
  const from = recording.rowsOf(marketId).length
  await vi.waitUntil(() => recording.rowsOf(marketId).length - from >= count, { timeout: 120_000 })
}

export async function fault({ simulator }: CaptureScene, order: object): Promise<string> {
  const answer = await fetch(`${simulator.addresses.admin}/faults`, {
    method: 'POST',
    body: JSON.stringify(order),
    headers: { 'content-type': 'application/json' },
  })
  return ((await answer.json()) as { id: string }).id
}

export async function faultOff({ simulator }: CaptureScene, id: string): Promise<void> {
  await fetch(`${simulator.addresses.admin}/faults/${id}`, { method: 'DELETE' })
}

/** Compares every row with the venue's book at the row's event time; returns how many could be compared. */
export function comparedWithTruth(
  { worldOptions, simulator }: CaptureScene,
  marketId: string,
  rows: readonly Snapshot[],
): number {
  const truth = new Map<number, Set<string>>()
  const again = new World(worldOptions, ({ market, atMs }) => {
    if (market.conditionId !== marketId) return
    const levels = [...market.book.bids.toReversed(), ...market.book.asks]
    const state = JSON.stringify(levels.map(({ price, size }) => [price, size * 10_000]))
    // Two batches may share a millisecond; either state was true then.
    truth.set(atMs, (truth.get(atMs) ?? new Set()).add(state))
  })
  again.advance(simulator.world.nowMs)
  let compared = 0
  for (const { slot, eventAtMs, up, flags } of rows) {
    const states = truth.get(eventAtMs)
    if (states === undefined) continue
    const state = JSON.stringify([...up.bids, ...up.asks].map(({ price, size }) => [price, size]))
    expect(states.has(state), `the row of slot ${slot} with flags ${flags}`).toBe(true)
    compared++
  }
  return compared
}
