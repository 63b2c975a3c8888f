import { createHash } from 'node:crypto'
import { Book, PRICE_ONE } from './book.ts'
import type { EventDraft, MarketDraft } from './catalogue/draft.ts'
import { type Random, random } from './random.ts'

/** Changes per second of a book, by activity. */
export const CHANGES_PER_SECOND = { hot: 16, medium: 2, cold: 0.15 } as const
export type Activity = keyof typeof CHANGES_PER_SECOND

export interface VenueEvent extends Omit<EventDraft, 'markets'> {
  id: string
  negRiskMarketId: string
  createdAtMs: number
  markets: Market[]
}

export type Phase = 'unlisted' | 'trading' | 'emptied' | 'resolved'

/** One binary market: constant facts first, then its current state. */
export interface Market {
  /** Orders events of the same millisecond. */
  order: number
  gammaId: string
  conditionId: string
  questionId: string
  tokenIds: readonly [string, string]
  version: 'v1' | 'v2'
  draft: MarketDraft
  event: VenueEvent
  createdAtMs: number
  /** The order book service lists a market some time after the catalogue. */
  listedAtMs: number
  resolveAtMs: number
  usualPrice: number
  draw: Random

  phase: Phase
  activity: Activity
  book: Book
  tickSize: number
  /** Venue time of the newest change. */
  changedAtMs: number
  /** Three decimals, or empty when never traded; one text for both tokens. */
  lastTradeText: string
  lastTrade: { price: number; side: 'BUY' | 'SELL' } | undefined
  volume: number
  winner: 0 | 1 | undefined
  /** The catalogue shows it as closed; later than the order book service. */
  isShownClosed: boolean
  /** Number of the next planned turn; an older planned turn is skipped. */
  turn: number
}

function digest(...parts: (string | number)[]): string {
  return createHash('sha256').update(parts.join('|')).digest('hex')
}

export function marketFrom(
  seed: string,
  event: VenueEvent,
  draft: MarketDraft,
  numbers: { order: number; gammaId: number; createdAtMs: number; listedAtMs: number },
): Market {
  const draw = random(seed, 'market', draft.slug)
  const version = draw.chance(0.02) && draft.window === undefined ? 'v2' : 'v1'
  const usualPrice = draft.usualPrice ?? 0.12 + draw.next() * 0.76
  return {
    order: numbers.order,
    gammaId: String(numbers.gammaId),
    conditionId: conditionId(seed, draft.slug, version),
    questionId: event.negRisk ? groupQuestionId(event) : `0x${digest(seed, draft.slug, 'question')}`,
    tokenIds: [tokenId(seed, draft.slug, version, 0), tokenId(seed, draft.slug, version, 1)],
    version,
    draft,
    event,
    createdAtMs: numbers.createdAtMs,
    listedAtMs: numbers.listedAtMs,
    resolveAtMs: event.endMs + resolveDelayMs(draw),
    usualPrice,
    draw,
    phase: 'unlisted',
    activity: 'cold',
    book: new Book(),
    tickSize: PRICE_ONE / (draft.window === undefined && draw.chance(0.3) ? 1000 : 100),
    changedAtMs: numbers.listedAtMs,
    lastTradeText: '',
    lastTrade: undefined,
    volume: 0,
    winner: undefined,
    isShownClosed: false,
    turn: 0,
  }
}

/** Usually just under a minute after the end, sometimes up to two and a half minutes. */
function resolveDelayMs(draw: Random): number {
  return draw.chance(0.8) ? draw.whole(53_000, 58_000) : draw.whole(58_000, 152_000)
}

function conditionId(seed: string, slug: string, version: 'v1' | 'v2'): string {
  const hex = digest(seed, slug, 'condition')
  return version === 'v1' ? `0x${hex}` : `0x01${hex.slice(0, 32)}${'0'.repeat(30)}`
}

/** Up to 78 digits; in the second version the last byte names the outcome. */
function tokenId(seed: string, slug: string, version: 'v1' | 'v2', outcome: 0 | 1): string {
  if (version === 'v1') return BigInt(`0x${digest(seed, slug, 'token', outcome)}`).toString()
  return BigInt(`0x01${digest(seed, slug, 'position').slice(0, 58)}0${outcome}`).toString()
}

export function eventFrom(seed: string, draft: EventDraft, id: number, createdAtMs: number): VenueEvent {
  const { markets: _, ...facts } = draft
  return {
    ...facts,
    id: String(id),
    negRiskMarketId: draft.negRisk ? `0x${digest(seed, draft.slug, 'group').slice(0, 62)}00` : '',
    createdAtMs,
    markets: [],
  }
}

/** The questions of a group share all but the last byte of its id. */
function groupQuestionId(event: VenueEvent): string {
  return event.negRiskMarketId.slice(0, -2) + event.markets.length.toString(16).padStart(2, '0')
}
