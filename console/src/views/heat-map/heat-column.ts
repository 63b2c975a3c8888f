/** What is known of one column of a heat map. */
export interface HeatColumn {
  /** Time of its start divided by the length of a column. */
  readonly number: number
  /** Codes of the sizes, from the lowest price up. */
  readonly bids: Uint8Array
  readonly asks: Uint8Array
  /** Slots with a row, slots that should have one, and slots whose row is suspect. */
  readonly stored: number
  readonly expected: number
  readonly suspect: number
  /** At the last row of the column; NaN without a row. */
  readonly bestBid: number
  readonly bestAsk: number
}
