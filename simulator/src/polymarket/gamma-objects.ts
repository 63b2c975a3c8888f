import { PRICE_ONE, priceText } from '../world/book.ts'
import type { SeriesFacts } from '../world/catalogue/draft.ts'
import { windowPrices } from '../world/fair-price.ts'
import type { Market, VenueEvent } from '../world/market.ts'
import { fixedNumber, seedOf } from '../world/random.ts'
import type { World } from '../world/world.ts'

const UPLOADS = 'https://polymarket-upload.s3.us-east-2.amazonaws.com'

/** Gamma sends lists as strings that contain a JSON array, with a space after each comma. */
export type WriteList = (items: readonly string[]) => string | readonly string[]
export const asEncodedText: WriteList = (items) => `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
export const asRealArray: WriteList = (items) => items

function microsecondIso(atMs: number, slug: string): string {
  const micros = Math.floor(fixedNumber(seedOf(slug), 1) * 1000)
  return new Date(atMs).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
}

function secondIso(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

function spacedTime(atMs: number): string {
  return secondIso(atMs).replace('T', ' ').replace('Z', '+00')
}

/** Flags as the venue sets them: `active` is always true, and some closed markets still "accept orders". */
function stateFlags(market: Market): { closed: boolean; acceptingOrders: boolean } {
  const closed = market.isShownClosed
  return { closed, acceptingOrders: !closed || seedOf(market.conditionId) % 20 === 0 }
}

function outcomePrices(market: Market): string[] {
  if (market.winner !== undefined && market.isShownClosed) return market.winner === 0 ? ['1', '0'] : ['0', '1']
  const middle = (market.book.bestBid + market.book.bestAsk) / 2
  return [String(middle / PRICE_ONE), String((PRICE_ONE - middle) / PRICE_ONE)]
}

/** Version 2 markets have their token ids in `positionIds`, as an array, and no `clobTokenIds`. */
function tokenFields(market: Market, writeList: WriteList): object {
  if (market.version === 'v2') return { clobTokenIds: null, positionIds: market.tokenIds }
  return { clobTokenIds: writeList(market.tokenIds) }
}

function windowFields(market: Market): object {
  const { window } = market.draft
  if (window === undefined || window.length === '1h' || window.length === '1d') return {}
  const asset = window.coin.symbol.toLowerCase()
  const id = `${asset}-${window.length}-twap-60`
  return {
    cryptoMarketConfigId: id,
    cryptoMarketConfig: { id, asset, duration: window.length, twapEnabled: true, twapLookbackSeconds: 60 },
  }
}

export function gammaMarket(market: Market, writeList: WriteList): Record<string, unknown> {
  const { draft, event, book } = market
  const { closed, acceptingOrders } = stateFlags(market)
  const image = `${UPLOADS}/${draft.window?.coin.symbol ?? event.slug}+fullsize.png`
  const liquidity =
    Math.round([...book.bids, ...book.asks].reduce((sum, { price, size }) => sum + (price * size) / 100, 0)) / 10_000
  const isTwoSided = book.bids.length > 0 && book.asks.length > 0
  return {
    id: market.gammaId,
    question: draft.question,
    conditionId: market.conditionId,
    slug: draft.slug,
    resolutionSource: event.resolutionSource,
    endDate: secondIso(event.endMs),
    ...(liquidity > 0 && { liquidity: String(liquidity) }),
    startDate: microsecondIso(market.listedAtMs, draft.slug),
    image,
    icon: image,
    description: event.description,
    outcomes: writeList(draft.outcomes),
    outcomePrices: writeList(outcomePrices(market)),
    ...(market.volume > 0 && { volume: String(market.volume) }),
    active: true,
    closed,
    marketMakerAddress: '',
    createdAt: microsecondIso(market.createdAtMs, draft.slug),
    updatedAt: microsecondIso(market.changedAtMs, draft.slug),
    ...(closed && { closedTime: spacedTime(market.resolveAtMs) }),
    new: false,
    featured: false,
    archived: false,
    restricted: true,
    ...(draft.groupItemTitle !== undefined && { groupItemTitle: draft.groupItemTitle }),
    groupItemThreshold: String(event.markets.indexOf(market)),
    questionID: market.questionId,
    ...(closed && { umaEndDate: secondIso(market.resolveAtMs) }),
    enableOrderBook: true,
    orderPriceMinTickSize: market.tickSize / PRICE_ONE,
    orderMinSize: 5,
    ...(closed && { umaResolutionStatus: 'resolved' }),
    ...(market.volume > 0 && { volumeNum: market.volume }),
    ...(liquidity > 0 && { liquidityNum: liquidity }),
    endDateIso: secondIso(event.endMs).slice(0, 10),
    startDateIso: secondIso(market.listedAtMs).slice(0, 10),
    hasReviewedDates: true,
    ...(draft.sports !== undefined && { gameStartTime: spacedTime(event.startMs ?? event.endMs), secondsDelay: 3 }),
    ...tokenFields(market, writeList),
    comboStatus: 'disabled',
    ...(liquidity > 0 && { liquidityClob: liquidity }),
    makerBaseFee: 1000,
    takerBaseFee: 1000,
    ...(draft.sports !== undefined && { gameId: draft.sports.gameId, sportsMarketType: draft.sports.marketType }),
    ...(draft.sports?.line !== undefined && { line: draft.sports.line }),
    acceptingOrders,
    negRisk: event.negRisk,
    ...(event.negRisk && {
      negRiskMarketID: event.negRiskMarketId,
      negRiskRequestID: `${market.questionId.slice(0, -2)}81`,
    }),
    ready: false,
    funded: false,
    acceptingOrdersTimestamp: secondIso(market.listedAtMs),
    cyom: false,
    competitive: 0.9,
    approved: true,
    rewardsMinSize: 50,
    rewardsMaxSpread: 4.5,
    ...(isTwoSided && { spread: (book.bestAsk - book.bestBid) / PRICE_ONE }),
    ...(closed && { automaticallyResolved: draft.window !== undefined }),
    oneDayPriceChange: 0,
    oneHourPriceChange: 0,
    ...(market.lastTradeText !== '' && { lastTradePrice: Number(market.lastTradeText) }),
    ...(book.bids.length > 0 && { bestBid: Number(priceText(book.bestBid)) }),
    ...(book.asks.length > 0 && { bestAsk: Number(priceText(book.bestAsk)) }),
    automaticallyActive: true,
    clearBookOnStart: draft.sports !== undefined,
    showGmpSeries: false,
    showGmpOutcome: false,
    manualActivation: false,
    negRiskOther: false,
    umaResolutionStatuses: writeList(closed && draft.window === undefined ? ['proposed'] : []),
    pendingDeployment: false,
    deploying: false,
    rfqEnabled: false,
    ...(event.startMs !== undefined && { eventStartTime: secondIso(event.startMs) }),
    holdingRewardsEnabled: false,
    feesEnabled: true,
    makerRebatesFeeShareBps: 10_000,
    feeType: draft.window === undefined ? 'general_fees' : 'crypto_fees_v2',
    feeSchedule: { exponent: 1, rate: 0.07, takerOnly: true, rebateRate: 0.2 },
    ...windowFields(market),
    version: market.version,
  }
}

export function gammaEvent(event: VenueEvent, world: World, writeList: WriteList): Record<string, unknown> {
  const closed = event.markets.length > 0 && event.markets.every((market) => market.isShownClosed)
  const volume = event.markets.reduce((sum, market) => sum + market.volume, 0)
  const image = `${UPLOADS}/${event.slug}.png`
  return {
    id: event.id,
    ticker: event.slug,
    slug: event.slug,
    title: event.title,
    description: event.description,
    resolutionSource: event.resolutionSource,
    startDate: microsecondIso(event.createdAtMs, event.slug),
    creationDate: microsecondIso(event.createdAtMs + 1_000, event.slug),
    endDate: secondIso(event.endMs),
    image,
    icon: image,
    active: true,
    closed,
    archived: false,
    new: false,
    featured: false,
    restricted: true,
    liquidity: 16_596.519,
    ...(volume > 0 && { volume }),
    openInterest: volume,
    createdAt: microsecondIso(event.createdAtMs, event.slug),
    updatedAt: microsecondIso(world.nowMs, event.slug),
    competitive: 0.9,
    ...(volume > 0 && { volume24hr: volume, volume1wk: volume, volume1mo: volume, volume1yr: volume }),
    enableOrderBook: true,
    liquidityClob: 16_596.519,
    negRisk: event.negRisk,
    ...(event.negRisk && { negRiskMarketID: event.negRiskMarketId }),
    commentCount: 0,
    markets: event.markets.map((market) => gammaMarket(market, writeList)),
    ...(event.series !== undefined && { series: [gammaSeries(event.series, world)] }),
    tags: event.tags.map((tag) => ({
      ...tag,
      forceShow: true,
      createdAt: '2025-05-09T20:56:58.880785Z',
      updatedAt: '2026-03-09T22:33:38.505979Z',
    })),
    cyom: false,
    showAllOutcomes: true,
    showMarketImages: true,
    enableNegRisk: event.negRisk,
    automaticallyActive: true,
    ...eventMetadata(event, world),
    ...(event.startMs !== undefined && { startTime: secondIso(event.startMs) }),
    ...(event.series !== undefined && { seriesSlug: event.series.slug }),
    negRiskAugmented: false,
    pendingDeployment: false,
    deploying: false,
    version: event.markets[0]?.version ?? 'v1',
  }
}

export function shownRecurrence({ recurrence, wrongRecurrence }: SeriesFacts, { behaviours }: World): string {
  return behaviours.has('wrong-recurrence') ? (wrongRecurrence ?? recurrence) : recurrence
}

export function gammaSeries(series: NonNullable<VenueEvent['series']>, world: World): object {
  return {
    id: series.id,
    ticker: series.slug,
    slug: series.slug,
    title: series.title,
    seriesType: 'single',
    recurrence: shownRecurrence(series, world),
    active: true,
    closed: false,
    archived: false,
    createdAt: '2025-08-09T22:36:44.765536Z',
    updatedAt: microsecondIso(world.nowMs, series.slug),
    volume24hr: 0,
    volume: 0,
    liquidity: 0,
    commentCount: 0,
  }
}

/** `priceToBeat` appears after the window opens, `finalPrice` after it ends. */
function eventMetadata(event: VenueEvent, world: World): object {
  const window = event.markets[0]?.draft.window
  if (window === undefined || event.startMs === undefined || world.nowMs < event.startMs + 20_000) return {}
  const { opening, closing } = windowPrices(window, world.spot, event.startMs, event.endMs)
  return {
    eventMetadata: { priceToBeat: opening, ...(world.nowMs >= event.endMs + 20_000 && { finalPrice: closing }) },
  }
}
