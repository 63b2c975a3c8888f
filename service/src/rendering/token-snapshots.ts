import { PRICE_ONE } from '../domain/book.ts'
import { SIZE_ONE, SPOT_ONE } from '../domain/decimal.ts'
import { PROOFS, type Proof } from '../domain/proof.ts'
import { SNAPSHOT_FLAGS } from '../domain/rows/snapshot.ts'
import type { SnapshotRows } from '../domain/rows/snapshot-rows.ts'
import { tokenFlags } from '../domain/snapshot-flags.ts'
import { proofOf } from '../venue-registry.ts'
import { AsciiText } from './ascii-text.ts'
import { bestPrices, putLevels, type Side, sizeAt, tokenSides, type WrittenSide } from './render-levels.ts'

/** The venue and the ids of a market and of its tokens UP and DOWN. */
export interface TokenNames {
  readonly venue: string
  readonly id: string
  readonly tokenIds: readonly [string, string]
}

/** One token of one row. */
export interface TokenAt {
  readonly index: number
  readonly outcome: 0 | 1
}

export interface RenderOptions {
  readonly includeBook: boolean
  readonly isSuspect: (slot: number) => boolean
  /** Leaves out `flags` and `proof`, which the declared schema does not have. */
  readonly isDeclared?: boolean
}

const [OPEN, CLOSE, COMMA] = [91, 93, 44]
const BYTES_A_LEVEL = 16
const BYTES_A_TOKEN = 700
const DEPTH_LEVELS = 5

/** The JSON list of token snapshots, written from the bytes of the rows without an object per level. */
export function renderTokenSnapshots(
  market: TokenNames,
  rows: SnapshotRows,
  tokens: readonly TokenAt[],
  { includeBook, isSuspect, isDeclared = false }: RenderOptions,
): string {
  const text = new AsciiText(
    tokens.length * BYTES_A_TOKEN + (includeBook ? (rows.bytes.length / 10) * 2 * BYTES_A_LEVEL : 0),
  )
  const heads = market.tokenIds.map(
    (tokenId, outcome) =>
      `{"condition_id":${JSON.stringify(market.id)},"token_id":${JSON.stringify(tokenId)},"side":"${outcome === 0 ? 'UP' : 'DOWN'}"`,
  )
  const proof = proofOf(market.venue)
  const written: (Written | undefined)[] = [undefined, undefined]
  let times = { index: -1, text: '' }
  text.byte(OPEN)
  for (const [place, { index, outcome }] of tokens.entries()) {
    if (place > 0) text.byte(COMMA)
    if (times.index !== index) times = { index, text: timesOf(rows, index) }
    text.put(heads[outcome] ?? '')
    text.put(times.text)
    written[outcome] = putBook(text, rows, { index, outcome }, includeBook, written[outcome])
    text.put(spotOf(rows, index))
    text.put(isDeclared ? '}' : flagsAndProof(rows.flags(index), outcome, proof, isSuspect(rows.slot(index))))
  }
  text.byte(CLOSE)
  return text.toString()
}

/** The text of a token's previous book, which is copied as far as the book did not change. */
interface Written {
  readonly index: number
  readonly from: number
  readonly to: number
  readonly bids: WrittenSide | undefined
  readonly asks: WrittenSide | undefined
}

function putBook(
  text: AsciiText,
  rows: SnapshotRows,
  { index, outcome }: TokenAt,
  includeBook: boolean,
  before: Written | undefined,
): Written {
  const from = text.length
  const isSame =
    before !== undefined &&
    (rows.flags(index) & SNAPSHOT_FLAGS.mirrored) === (rows.flags(before.index) & SNAPSHOT_FLAGS.mirrored) &&
    rows.hasSameLadders(index, before.index)
  if (isSame) {
    text.repeat(before.from, before.to)
    return before
  }
  const { view } = rows
  const sides = tokenSides(rows, index, outcome)
  const { bids, asks } = sides
  const { bid, ask } = bestPrices(view, sides)
  text.put(',"best_bid":')
  text.price(bid)
  text.put(',"best_ask":')
  text.price(ask)
  text.put(`,"mid":${(bid + ask) / (2 * PRICE_ONE)},"spread":${(ask - bid) / PRICE_ONE}`)
  let written: { bids?: WrittenSide; asks?: WrittenSide } = {}
  if (includeBook) {
    text.put(',"bids":')
    const writtenBids = putLevels(text, view, bids, before?.bids)
    text.put(',"asks":')
    written = { bids: writtenBids, asks: putLevels(text, view, asks, before?.asks) }
  }
  text.put(`,"depth5_bid":${depth5(view, bids)},"depth5_ask":${depth5(view, asks)}`)
  return { index, from, to: text.length, bids: written.bids, asks: written.asks }
}

function depth5(view: DataView, side: Side): number {
  let sum = 0
  for (let level = 0; level < Math.min(side.length, DEPTH_LEVELS); level++) sum += sizeAt(view, side, level)
  return sum / SIZE_ONE
}

function timesOf(rows: SnapshotRows, index: number): string {
  const [event, captured] = [new Date(rows.eventAtMs(index)), new Date(rows.capturedAtMs(index))]
  return `,"event_timestamp":"${event.toISOString()}","capture_timestamp":"${captured.toISOString()}","sequence_number":${rows.slot(index)}`
}

function spotOf(rows: SnapshotRows, index: number): string {
  const [spot, age] =
    rows.flags(index) & SNAPSHOT_FLAGS.hasSpot
      ? [rows.spotPrice(index) / SPOT_ONE, rows.spotAgeMs(index)]
      : [null, null]
  return `,"spot_crypto_usd":${spot},"spot_crypto_age_ms":${age}`
}

/** By flags, token, doubt and proof, because few combinations occur. */
const ENDS = new Map<number, string>()

function flagsAndProof(flags: number, outcome: 0 | 1, proof: Proof, isSuspect: boolean): string {
  const key = (flags * 4 + outcome * 2 + (isSuspect ? 1 : 0)) * PROOFS.length + PROOFS.indexOf(proof)
  const known = ENDS.get(key)
  if (known !== undefined) return known
  const text = `,"flags":${JSON.stringify(tokenFlags(flags, outcome, proof, isSuspect))},"proof":"${proof}"}`
  ENDS.set(key, text)
  return text
}
