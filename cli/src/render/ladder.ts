import type { Paint } from '../terminal.ts'
import { bar } from './bar.ts'
import { ageText, decimalsOf, durationText, grouped, sizeText } from './numbers.ts'
import { plain, shorten } from './text.ts'

export type Level = readonly [price: number, size: number]

/** The data that a ladder shows. */
export interface ShownBook {
  readonly title: string
  readonly name: string
  /** UP or DOWN; a perpetual future has neither. */
  readonly side: string
  /** Best first. */
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
  readonly capturedAt: number
  readonly seq: number
  /** True when the venue's hash matches; false when its proof does not hold; undefined when neither is known. */
  readonly isVerified: boolean | undefined
  /** The proof that the venue offers: hash, sequence or none. */
  readonly proof: string
  /** Why the book is not reliable. */
  readonly doubt: string | undefined
  readonly spot: number | undefined
  readonly endsAt: number | undefined
}

export interface LadderLayout {
  readonly columns: number
  readonly rows: number
  /** Levels of each side at most. */
  readonly depth: number
  readonly nowMs: number
  readonly paint: Paint
}

/** Lines other than levels: title, name, blank, header, mid, blank, two status lines. */
const OTHER_LINES = 8
const MARGIN = '  '
const WIDEST_BAR = 60

/** Asks above bids, the best of both in the middle, each level with a bar as long as its size. */
export function renderLadder(book: ShownBook, layout: LadderLayout): string {
  const { columns, paint } = layout
  const depth = Math.max(1, Math.min(layout.depth, Math.floor((layout.rows - OTHER_LINES) / 2)))
  const [asks, bids] = [book.asks.slice(0, depth), book.bids.slice(0, depth)]
  const shown = [...asks, ...bids]
  const decimals = decimalsOf(shown.map(([price]) => price))
  const sizes = new Map(shown.map((level) => [level, sizeText(level[1], decimalsOf(shown.map(([, size]) => size)))]))
  const priceWidth = Math.max('price'.length, ...shown.map(([price]) => price.toFixed(decimals).length))
  const sizeWidth = Math.max('size'.length, ...[...sizes.values()].map((text) => text.length))
  const barWidth = Math.min(WIDEST_BAR, columns - MARGIN.length * 3 - priceWidth - sizeWidth - 1)
  const largest = Math.max(0, ...shown.map(([, size]) => size))
  const line = (level: Level, style: 'red' | 'green'): string => {
    const price = level[0].toFixed(decimals).padStart(priceWidth)
    const length = largest === 0 ? 0 : level[1] / largest
    return `${MARGIN}${paint(style, price)}${MARGIN}${(sizes.get(level) ?? '').padStart(sizeWidth)}${MARGIN}${paint(style, bar(length, barWidth))}`
  }
  return [
    paint('bold', shorten(plain(book.title), columns)),
    paint('dim', shorten(nameLine(book, layout.nowMs), columns)),
    '',
    paint('dim', `${MARGIN}${'price'.padStart(priceWidth)}${MARGIN}${'size'.padStart(sizeWidth)}`),
    ...(asks.length === 0 ? [`${MARGIN}no asks`] : asks.toReversed().map((level) => line(level, 'red'))),
    paint('bold', shorten(`${MARGIN}${middle(book, decimals)}`, columns)),
    ...(bids.length === 0 ? [`${MARGIN}no bids`] : bids.map((level) => line(level, 'green'))),
    '',
    proofLine(book, columns, paint),
    paint('dim', shorten(stateLine(book, layout.nowMs), columns)),
  ].join('\n')
}

function nameLine({ name, side, endsAt }: ShownBook, nowMs: number): string {
  const end = endsAt === undefined ? '' : endsAt > nowMs ? `ends in ${durationText(endsAt - nowMs)}` : 'has ended'
  return [plain(name), side, end].filter((part) => part !== '').join('   ')
}

function middle({ bids, asks }: ShownBook, decimals: number): string {
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]]
  if (bid === undefined || ask === undefined) return 'mid –   spread –'
  return `mid ${((bid + ask) / 2).toFixed(decimals + 1)}   spread ${(ask - bid).toFixed(decimals)}`
}

function proofLine({ isVerified, proof, doubt, spot }: ShownBook, columns: number, paint: Paint): string {
  const beside = spot === undefined ? '' : `${MARGIN} spot ${grouped(spot)}`
  if (doubt !== undefined) return paint('red', shorten(`${MARGIN}✗ in doubt: ${plain(doubt)}`, columns))
  if (isVerified === undefined && proof === 'sequence')
    return `${paint('green', `${MARGIN}✓ no change is missing`)}${beside}`
  if (isVerified === undefined) return `${MARGIN}this venue offers no proof`
  return (isVerified ? paint('green', `${MARGIN}✓ verified`) : paint('yellow', `${MARGIN}! unverified`)) + beside
}

function stateLine({ bids, asks, capturedAt, seq }: ShownBook, nowMs: number): string {
  const parts = [`age ${ageText(nowMs - capturedAt)}`, `seq ${seq}`, `${bids.length} bids, ${asks.length} asks`]
  return MARGIN + parts.join('   ')
}
