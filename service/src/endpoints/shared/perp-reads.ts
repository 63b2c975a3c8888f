import { LIVE_FOR_MS, PERP_INTERVAL_MS } from '../../domain/plan.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { type PerpSnapshot, perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import { type SlotRange, slotCount, slotsIn } from '../../domain/slot-range.ts'
import { mayUse, type Tier } from '../../domain/tier.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { GapStore } from '../../stores/books/gaps.ts'
import type { MissingSlotStore } from '../../stores/books/missing-slots.ts'
import type { NewestRows } from '../../stores/books/newest-rows.ts'
import type { PerpBarRequest, PerpBarStore } from '../../stores/books/perp-bars.ts'
import type { PerpHeatMapRequest, PerpHeatMapStore } from '../../stores/books/perp-heat-maps.ts'
import type { PerpRowsPage, PerpSnapshotStore } from '../../stores/books/perp-snapshots.ts'
import type { ContextPosition, PerpTapeStore, TapePage, TradePosition } from '../../stores/books/perp-tape.ts'
import type { SampledPerp } from '../../stores/books/slot-sql.ts'

/** All that is stored of perps. Endpoints get `PerpReads` in its place. */
export interface PerpStores {
  readonly perps: PerpSnapshotStore
  readonly perpBars: PerpBarStore
  readonly perpHeatMaps: PerpHeatMapStore
  /** Trades and contexts. */
  readonly perpTape: PerpTapeStore
  readonly newestRows: Pick<NewestRows, 'readPerp'>
  readonly missingSlots: Pick<MissingSlotStore, 'perpRuns'>
  readonly gaps: GapStore
}

type Perp = Pick<SampledPerp, 'venue' | 'symbol'>

export type PerpReads = ReturnType<typeof perpReads>

/** What a tier may see of perps: everything, or all but the last minute, which is the live book. */
export function perpReads(stores: PerpStores, tier: Tier, nowMs: number) {
  const { perps, perpBars, perpHeatMaps, perpTape, newestRows, missingSlots, gaps } = stores
  const untilMs = mayUse(tier, 'live_exchange_book') ? Number.POSITIVE_INFINITY : nowMs - LIVE_FOR_MS
  const lastSlot = slotsIn({ fromMs: 0, toMs: untilMs }, PERP_INTERVAL_MS).toSlot
  const cut = <Range extends TimeRange>(range: Range): Range => ({ ...range, toMs: Math.min(range.toMs, untilMs) })
  const cutSlots = <Slots extends SlotRange>(slots: Slots): Slots => ({
    ...slots,
    toSlot: Math.min(slots.toSlot, lastSlot),
  })
  const inGaps = ({ venue, symbol, fromMs, toMs }: Perp & TimeRange) => ({
    marketId: perpMarketId(venue, symbol),
    intervalMs: PERP_INTERVAL_MS,
    fromMs,
    toMs,
  })
  return {
    /** What was recorded before this time may be read. */
    untilMs,
    range: (range: SampledPerp & TimeRange, page: PerpRowsPage) => perps.range(cut(range), page),
    captured: (range: SampledPerp & TimeRange, page: PerpRowsPage, signal: AbortSignal) =>
      perps.captured(cut(range), page, signal),
    countByPart: (range: SampledPerp & TimeRange, partMs: number, signal: AbortSignal) =>
      perps.countByPart(cut(range), partMs, signal),
    recordedSince: (perp: Perp) => perps.recordedSince(perp),

    /** From the first to the last slot with a row; undefined when there is none. */
    async recordedSlots(perp: Perp): Promise<SlotRange | undefined> {
      const slots = await perps.recordedSlots(perp)
      const readable = slots && cutSlots(slots)
      return readable && slotCount(readable) > 0 ? readable : undefined
    },

    /** From Redis. */
    async newest({ venue, symbol }: Perp): Promise<PerpSnapshot | undefined> {
      const row = await newestRows.readPerp(venue, symbol)
      return row !== undefined && row.capturedAtMs < untilMs ? row : undefined
    },

    /** Slots of the last bar may be left out. */
    bars: ({ recorded, ...bars }: PerpBarRequest, signal: AbortSignal) =>
      perpBars.range({ ...bars, recorded: cut(recorded) }, signal),
    heatMapColumns: (tile: PerpHeatMapRequest, signal: AbortSignal) => perpHeatMaps.columns(cutSlots(tile), signal),
    heatMapCells: (tile: PerpHeatMapRequest, stepUnits: number, signal: AbortSignal) =>
      perpHeatMaps.cells(cutSlots(tile), stepUnits, signal),
    trades: (range: Perp & TimeRange, page: TapePage<TradePosition>, signal: AbortSignal) =>
      perpTape.trades(cut(range), page, signal),
    contexts: (range: Perp & TimeRange, page: TapePage<ContextPosition>, signal: AbortSignal) =>
      perpTape.contexts(cut(range), page, signal),
    tapeSince: (perp: Perp) => perpTape.recordedSince(perp),
    missingSlots: (range: SampledPerp & TimeRange, signal: AbortSignal) => missingSlots.perpRuns(cut(range), signal),

    /** Gaps of books that touch a range. */
    async gaps(range: Perp & TimeRange): Promise<Gap[]> {
      return (await gaps.range(inGaps(cut(range)))).map(cutSlots)
    },

    /** All gaps that touch a range or begin within `laterMs` after it, because they may tell of a loss in the range. */
    allGaps(range: Perp & TimeRange, laterMs: number) {
      const { toMs, ...rest } = cut(range)
      return gaps.all(inGaps({ ...rest, toMs: toMs + laterMs }))
    },
  }
}
