import type { HeatColumn } from '../../views/heat-map/heat-column.ts'
import type { LiveColumnsForm } from '../../views/heat-map/live-columns.ts'
import type { BookSides } from './packed-book.ts'
import type { PlayerState } from './player.ts'
import type { Speed } from './speeds.ts'

export type TokenSide = 'up' | 'down'

/** What is played: a range of slots, the last one included, and the slots in it that have no row. */
export interface ReplayRange {
  readonly market: string
  readonly intervalMs: number
  readonly firstSlot: number
  readonly lastSlot: number
  readonly missing: readonly { readonly fromSlot: number; readonly toSlot: number }[]
}

export type ReplayCommand =
  | { readonly kind: 'range'; readonly range: ReplayRange; readonly slot: number }
  | { readonly kind: 'side'; readonly side: TokenSide; readonly levels: readonly LiveColumnsForm[] }
  | { readonly kind: 'move'; readonly slot: number }
  | { readonly kind: 'play' | 'pause' }
  | { readonly kind: 'speed'; readonly speed: Speed }

export interface SlotBook extends BookSides {
  readonly capturedAt: number
  readonly flags: readonly string[]
}

/** How a replay of the service ended before its time. */
export interface ReplayFailure {
  readonly code: string
  readonly message: string
}

export interface ReplayStatus {
  /** How many commands had arrived. */
  readonly commands: number
  readonly state: PlayerState
  readonly slot: number
  /** Of the slot: null when it has no row, undefined when it was not replayed. */
  readonly book: SlotBook | null | undefined
  /** The first slot that playing has to fetch; undefined when all of them are known. */
  readonly firstUnknown: number | undefined
  /** What the open replay may still cost, when it can send that slot. */
  readonly creditsLeft: number | undefined
  readonly columns: readonly { readonly level: number; readonly column: HeatColumn }[]
  readonly failure: ReplayFailure | undefined
}
