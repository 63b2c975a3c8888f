import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_DECIMALS } from '../../domain/decimal.ts'
import { uint64At } from '../../domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'
import { SIZE_BYTES, type SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import { AsciiText } from '../../rendering/ascii-text.ts'
import { priceAt, putLevels, type Side, sideAt, type WrittenSide } from '../../rendering/render-levels.ts'
import { instantOf } from '../schemas/instant.ts'
import type { TokenNames } from '../schemas/snapshot.ts'
import { flagNames } from '../schemas/snapshot-flags.ts'
import { spotPriceOf } from '../schemas/spot-price.ts'

/** One token of one row. */
export interface TokenAt {
  readonly index: number
  readonly outcome: 0 | 1
}

export interface RenderOptions {
  readonly includeBook: boolean
  readonly isSuspect: (slot: number) => boolean
}

const [OPEN, CLOSE, COMMA] = [91, 93, 44]
const BYTES_A_LEVEL = 16
const BYTES_A_TOKEN = 700
const SIZE_ONE = 10 ** SIZE_DECIMALS

/** The JSON list of token snapshots; the same as of `tokenSnapshotOf`, many times faster. */
export function renderSnapshots(
  market: TokenNames,
  rows: SnapshotRows,
  tokens: readonly TokenAt[],
  { includeBook, isSuspect }: RenderOptions,
): string {
  const text = new AsciiText(
    tokens.length * BYTES_A_TOKEN + (includeBook ? (rows.bytes.length / 10) * 2 * BYTES_A_LEVEL : 0),
  )
  const heads = market.tokenIds.map(
    (tokenId, outcome) =>
      `{"condition_id":${JSON.stringify(market.id)},"token_id":${JSON.stringify(tokenId)},"side":"${outcome === 0 ? 'UP' : 'DOWN'}"`,
  )
  const written: (Written | undefined)[] = [undefined, undefined]
  let times = { index: -1, text: '' }
  text.byte(OPEN)
  for (const [place, { index, outcome }] of tokens.entries()) {
    if (place > 0) text.byte(COMMA)
    if (times.index !== index) times = { index, text: timesOf(rows, index) }
    text.put(heads[outcome] ?? '')
    text.put(times.text)
    written[outcome] = putBook(text, rows, { index, outcome }, includeBook, written[outcome])
    text.put(tailOf(rows, index, outcome, isSuspect(rows.slot(index))))
  }
  text.byte(CLOSE)
  return text.toString()
}

/** What was written for a token's book, to be copied as far as the book stays. */
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
  const [bids, asks] = sidesOf(rows, index, outcome)
  const bid = bids.length === 0 ? 0 : priceAt(view, bids, 0)
  const ask = asks.length === 0 ? PRICE_ONE : priceAt(view, asks, 0)
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

function depth5(view: DataView, { length, sizes }: Side): number {
  let sum = 0
  for (let level = 0; level < Math.min(length, 5); level++) sum += uint64At(view, sizes + level * SIZE_BYTES)
  return sum / SIZE_ONE
}

/** Bids and asks of one token. A mirrored row holds only the first token's, whose asks are the second's bids. */
function sidesOf(rows: SnapshotRows, index: number, outcome: 0 | 1): readonly [Side, Side] {
  const isMirrored = outcome === 1 && (rows.flags(index) & SNAPSHOT_FLAGS.mirrored) !== 0
  const { view } = rows
  const [upBids, afterBids] = sideAt(view, rows.laddersStart(index), isMirrored)
  const [upAsks, afterAsks] = sideAt(view, afterBids, isMirrored)
  if (outcome === 0) return [upBids, upAsks]
  if (isMirrored) return [upAsks, upBids]
  const [downBids, afterDownBids] = sideAt(view, afterAsks, false)
  const [downAsks] = sideAt(view, afterDownBids, false)
  return [downBids, downAsks]
}

function timesOf(rows: SnapshotRows, index: number): string {
  const [event, captured] = [instantOf(rows.eventAtMs(index)), instantOf(rows.capturedAtMs(index))]
  return `,"event_timestamp":"${event}","capture_timestamp":"${captured}","sequence_number":${rows.slot(index)}`
}

function tailOf(rows: SnapshotRows, index: number, outcome: 0 | 1, isSuspect: boolean): string {
  const flags = rows.flags(index)
  const spot = spotPriceOf({ flags, spotPrice: rows.spotPrice(index) })
  const age = spot === undefined ? null : rows.spotAgeMs(index)
  return `,"spot_crypto_usd":${spot ?? null},"spot_crypto_age_ms":${age},"flags":${flagText(flags, outcome, isSuspect)}}`
}

const FLAG_TEXTS = new Map<number, string>()

function flagText(flags: number, outcome: 0 | 1, isSuspect: boolean): string {
  const key = flags * 4 + outcome * 2 + (isSuspect ? 1 : 0)
  const known = FLAG_TEXTS.get(key)
  if (known !== undefined) return known
  const text = JSON.stringify(flagNames(flags, outcome, isSuspect))
  FLAG_TEXTS.set(key, text)
  return text
}
