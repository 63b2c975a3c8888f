import type { PerpContext } from './perp-context.ts'
import { perpMarketId } from './perp-snapshot.ts'
import type { PerpTrade } from './perp-trade.ts'

/** What a venue tells about a perp besides its book. */
export type TapeRow =
  | { readonly kind: 'trade'; readonly row: PerpTrade }
  | { readonly kind: 'context'; readonly row: PerpContext }

export function tapeMarketId({ row: { venue, symbol } }: TapeRow): string {
  return perpMarketId(venue, symbol)
}

/** When it happened by the venue; contexts have no such time. */
export function tapeTimeMs(tape: TapeRow): number {
  return tape.kind === 'trade' ? tape.row.tradedAtMs : tape.row.receivedAtMs
}
