import { Follower } from '@bookreel/service/capture/follower'
import { PriceBoard } from '@bookreel/service/capture/price-board'
import { Recorder } from '@bookreel/service/capture/recorder'
import { sampledBinary } from '@bookreel/service/capture/sampled-binary'
import type { TickRows } from '@bookreel/service/capture/tick-rows'
import { HOUR_MS } from '@bookreel/service/domain/finished-hour'
import type { Market, Resolution } from '@bookreel/service/domain/market'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import type { SettlementPrice } from '@bookreel/service/domain/rows/settlement-price'
import { decodeSpotFrame } from '@bookreel/service/venues/binance/decode'
import { GammaEventSchema, GammaMarketSchema } from '@bookreel/service/venues/polymarket/gamma'
import { readMarket } from '@bookreel/service/venues/polymarket/listed-market'
import { polymarket } from '@bookreel/service/venues/polymarket/venue'
import { spotBookTicker, spotCoin } from '@bookreel/simulator/binance/spot-quotes'
import { asEncodedText, gammaEvent } from '@bookreel/simulator/polymarket/gamma-objects'
import { firstFrameOf, framesOf } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as SimulatedMarket } from '@bookreel/simulator/world/market'
import { World } from '@bookreel/simulator/world/world'
import { statedPrice } from '../world/stated-price.ts'

export interface PastHourOptions {
  readonly seed: string
  /** Start of the hour. */
  readonly hourMs: number
}

/**
 * Everything that was recorded of the Bitcoin windows of one hour: the one-hour window and the twelve of five minutes.
 * Once the connection was lost for six seconds, so that files, sample and heat map show how a gap looks.
 */
export interface PastHour {
  readonly listings: readonly { readonly market: Market; readonly seenAtMs: number }[]
  readonly resolutions: readonly Resolution[]
  readonly settlements: readonly SettlementPrice[]
  readonly ticks: readonly TickRows[]
}

/** The smallest world that has one-hour windows. Hot windows would take eight times as long to record. */
const WORLD = { size: { hot: 6, medium: 4, cold: 0 }, openWindows: 'medium' } as const
const LENGTHS = ['1h', '5m']
const FOLLOWED_BEFORE_START_MS = 60_000
/** The venue resolves a window at most two and a half minutes after its end. */
const RESOLVED_WITHIN_MS = 180_000
const SPOT_STEP_MS = 100
/** After the beginning of the hour, between two windows, so that only books are lost and no resolution. */
const AWAY = { fromMs: 1_410_000, toMs: 1_416_000 } as const

const LOST = { cause: 'disconnected', detail: 'socket closed with 1006' } as const

const NO_ADDRESSES = { gammaUrl: '', clobUrl: '', socketUrl: '' }
const plan = CATEGORY_PLANS.find(({ category }) => category === 'crypto')

/**
 * Records a simulated hour as fast as possible. Frames, proofs, samples and gaps come from the code that records live
 * markets; only sockets and clock are left out.
 */
export function recordPastHour({ seed, hourMs }: PastHourOptions): PastHour {
  if (plan === undefined) throw new Error('there is no plan for crypto markets')
  const { captureIntervalMs } = plan
  let nowMs = hourMs
  let isConnected = true
  const listings: { market: Market; seenAtMs: number }[] = []
  const resolutions: Resolution[] = []
  const ticks: TickRows[] = []
  const spot = new PriceBoard(() => nowMs)
  const recorder = new Recorder({
    nowMs: () => nowMs,
    shardOf: () => 'polymarket.0',
    publish: (_, __, rows) => ticks.push(rows),
  })
  const follower = new Follower({
    venue: polymarket(NO_ADDRESSES),
    nowMs: () => nowMs,
    onTrade: (trade) => recorder.trade(trade),
    onResolved: ({ marketId, winningTokenId, resolvedAtMs }) => {
      const winner = follower.markets.get(marketId)?.market.tokenIds.indexOf(winningTokenId ?? '')
      if (winner !== 0 && winner !== 1) throw new Error(`a simulated window has no winner: ${marketId}`)
      resolutions.push({ marketId, winner, resolvedAtMs })
      recorder.remove(marketId)
      follower.remove(marketId)
    },
    onProblem: ({ reason }) => {
      throw new Error(`a simulated frame was not understood: ${reason}`)
    },
    onDoubt: () => {},
  })
  const world = new World({ ...WORLD, seed, startMs: hourMs }, (happening) => {
    nowMs = happening.atMs
    if (!isConnected || !follower.markets.has(happening.market.conditionId)) return
    for (const frame of framesOf(happening)) follower.frame(frame, nowMs)
  })
  const followDue = (): void => {
    for (const simulated of world.markets.values()) {
      if (!isOfHour(simulated, hourMs) || listings.some(({ market }) => market.id === simulated.conditionId)) continue
      if ((simulated.event.startMs ?? 0) - FOLLOWED_BEFORE_START_MS > nowMs) continue
      const market = marketOf(simulated, world)
      listings.push({ market, seenAtMs: nowMs })
      recorder.add(sampledBinary(follower.add(market), (each) => spot.quoteFor(each)))
      follower.frame(firstFrameOf(simulated), nowMs)
    }
  }

  const connect = (): void => {
    const wasConnected = isConnected
    isConnected = nowMs < hourMs + AWAY.fromMs || nowMs >= hourMs + AWAY.toMs
    if (wasConnected === isConnected) return
    if (!isConnected) return follower.lost(follower.markets.keys(), LOST, nowMs)
    for (const simulated of world.markets.values()) {
      if (follower.markets.has(simulated.conditionId)) follower.frame(firstFrameOf(simulated), nowMs)
    }
  }

  recorder.hold('polymarket.0')
  const endMs = hourMs + HOUR_MS + RESOLVED_WITHIN_MS
  for (let tickMs = hourMs; tickMs <= endMs && !(tickMs > hourMs && follower.markets.size === 0); ) {
    world.advance(tickMs)
    nowMs = tickMs
    connect()
    followDue()
    takeSpot(spot, world, nowMs - (nowMs % SPOT_STEP_MS))
    recorder.tick(tickMs)
    tickMs += captureIntervalMs
  }
  return { listings, resolutions, settlements: settlementsOf(listings, world), ticks }
}

/** The prices that the venue states for the windows after their end. */
function settlementsOf(listings: PastHour['listings'], world: World): SettlementPrice[] {
  return listings.flatMap(({ market }) =>
    (['start', 'end'] as const).flatMap((point) => statedPrice(world, market, point) ?? []),
  )
}

function isOfHour({ draft, event }: SimulatedMarket, hourMs: number): boolean {
  const { window } = draft
  if (window?.coin.symbol !== 'BTC' || !LENGTHS.includes(window.length)) return false
  return (event.startMs ?? 0) >= hourMs && event.endMs <= hourMs + HOUR_MS
}

/** The market as discovery reads it from the venue's catalogue. */
function marketOf(simulated: SimulatedMarket, world: World): Market {
  const event = GammaEventSchema.parse(gammaEvent(simulated.event, world, asEncodedText))
  const market = plan && readMarket(event, GammaMarketSchema.parse(event.markets[0]), plan)
  if (market === undefined || typeof market === 'string')
    throw new Error(`${simulated.draft.slug} is not a market that the service records`)
  return market
}

function takeSpot(spot: PriceBoard, world: World, atMs: number): void {
  const coin = spotCoin('BTCUSDT')
  if (coin === undefined) throw new Error('the simulated exchange has no Bitcoin price')
  const { events } = decodeSpotFrame(JSON.stringify(spotBookTicker(world.spot, coin, atMs)))
  for (const event of events) spot.take(event, atMs)
}
