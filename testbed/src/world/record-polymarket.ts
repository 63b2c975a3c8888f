import { captureMetrics } from '@bookreel/service/capture/capture-metrics'
import { Follower } from '@bookreel/service/capture/follower'
import type { PriceBoard } from '@bookreel/service/capture/price-board'
import { sampledBinary } from '@bookreel/service/capture/sampled-binary'
import { SettlementWatch } from '@bookreel/service/capture/settlement-watch'
import type { Market } from '@bookreel/service/domain/market'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import { isWindow } from '@bookreel/service/domain/slug'
import { GammaEventSchema, GammaMarketSchema } from '@bookreel/service/venues/polymarket/gamma'
import { readMarket } from '@bookreel/service/venues/polymarket/listed-market'
import { leadMs } from '@bookreel/service/venues/polymarket/plan-queries'
import { polymarket } from '@bookreel/service/venues/polymarket/venue'
import type { HashRule } from '@bookreel/simulator/polymarket/book-text'
import { asEncodedText, gammaEvent } from '@bookreel/simulator/polymarket/gamma-objects'
import { firstFrameOf, framesOf } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as SimulatedMarket } from '@bookreel/simulator/world/market'
import { World } from '@bookreel/simulator/world/world'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { RecordedPart, Recording, VirtualClock } from './recording.ts'
import { statedPrice } from './stated-price.ts'
import { AWAY, BUSY_FROM_MS, LONG_LIVED_FROM_MS, TICK_MS, WORLD_FROM_MS, WORLD_SEED } from './world-times.ts'

/** The smallest size in which Bitcoin and Ether have windows of five minutes and of an hour. */
const SIZE = { hot: 12, medium: 8, cold: 60 }
const COINS = ['BTC', 'ETH']
const MARKETS_OF_AN_EVENT = 2
const EVENTS_OF_A_CATEGORY = 2
const SECOND_MS = 1_000
/** The recorder asks the venue for the prices of a window this long after its start and its end. */
const ASKED_AFTER_MS = 60_000
const NO_ADDRESSES = { gammaUrl: '', clobUrl: '', socketUrl: '' }

export interface RecordedPolymarket extends RecordedPart {
  /** Windows of Bitcoin have a socket of their own, which is lost from the next tick on. */
  disconnect(forMs: number): void
  /** From now on the venue computes the hashes of its books in another way. */
  changeHashRule(): void
}

/** Records Polymarket: windows of two coins, and long-lived markets of every category, of which one is busy. */
export function recordPolymarket(recording: Recording, clock: VirtualClock, prices: PriceBoard): RecordedPolymarket {
  const nowMs = (): number => clock.nowMs
  const venue = polymarket(NO_ADDRESSES)
  const recorder = recording.recorderOf('polymarket', clock)
  const settlements = new SettlementWatch({
    venue,
    prices,
    nowMs,
    log: pino({ level: 'silent' }),
    metrics: captureMetrics(new Registry()),
    isHeld: () => true,
    onPrice: (price) => recorder.settlement(price),
  })
  const follower = new Follower({
    venue,
    nowMs,
    onTrade: (trade) => recorder.trade(trade),
    onResolved: ({ marketId, winningTokenId, resolvedAtMs }) => {
      const winner = follower.markets.get(marketId)?.market.tokenIds.indexOf(winningTokenId ?? '')
      if (winner !== 0 && winner !== 1) throw new Error(`a simulated window has no winner: ${marketId}`)
      recording.resolutions.push({ marketId, winner, resolvedAtMs })
      recorder.remove(marketId)
      follower.remove(marketId)
    },
    onProblem: ({ reason }) => {
      throw new Error(`a simulated frame was not understood: ${reason}`)
    },
    onDoubt: () => {},
  })
  const lost = new Set<string>()
  let away: Readonly<Record<'fromMs' | 'toMs', number>> = AWAY
  let rule: HashRule | undefined
  const world = new World(
    { seed: WORLD_SEED, startMs: WORLD_FROM_MS, size: SIZE, openWindows: 'medium' },
    (happening) => {
      const { conditionId } = happening.market
      if (!follower.markets.has(conditionId) || lost.has(conditionId)) return
      clock.nowMs = happening.atMs
      for (const frame of framesOf(happening, rule)) follower.frame(frame, clock.nowMs)
    },
  )
  const longLived = longLivedMarkets(world)
  const busy = busyMarket(longLived)
  const waiting = new Map(longLived.map((market) => [market.conditionId, market]))

  const setActivities = (): void => {
    for (const simulated of world.markets.values())
      simulated.activity =
        simulated === busy && clock.nowMs >= BUSY_FROM_MS ? 'hot' : activityOf(simulated, clock.nowMs)
  }

  const followDue = (): void => {
    for (const simulated of world.markets.values())
      if (isNewWindow(simulated)) waiting.set(simulated.conditionId, simulated)
    for (const [id, simulated] of waiting) {
      if (clock.nowMs < followedFromMs(simulated) || simulated.phase === 'unlisted') continue
      waiting.delete(id)
      const market = marketOf(simulated, world)
      recording.listings.push({ market, seenAtMs: clock.nowMs })
      recorder.add(sampledBinary(follower.add(market), (each) => prices.quoteFor(each)))
      if (isWindow(market)) settlements.note(market)
      follower.frame(firstFrameOf(simulated, rule), clock.nowMs)
    }
  }
  const isNewWindow = (simulated: SimulatedMarket): boolean =>
    isWantedWindow(simulated) &&
    simulated.phase !== 'resolved' &&
    !waiting.has(simulated.conditionId) &&
    !recording.listings.some(({ market }) => market.id === simulated.conditionId)

  const takeStated = (settledAtMs: number): void => {
    for (const { market } of recording.listings) {
      for (const point of ['start', 'end'] as const) {
        if (settledAtMs !== (point === 'start' ? market.startsAtMs : market.endsAtMs)) continue
        const price = statedPrice(world, market, point)
        if (price !== undefined) recorder.settlement(price)
      }
    }
  }

  const connect = (): void => {
    if (clock.nowMs === away.fromMs) {
      for (const [id, { market }] of follower.markets) if (isOfLostSocket(market)) lost.add(id)
      follower.lost(lost, AWAY, clock.nowMs)
    }
    if (clock.nowMs !== away.toMs) return
    for (const id of lost) {
      const simulated = world.markets.get(id)
      lost.delete(id)
      if (simulated !== undefined) follower.frame(firstFrameOf(simulated, rule), clock.nowMs)
    }
  }

  return {
    disconnect(forMs) {
      const fromMs = clock.nowMs + TICK_MS
      away = { fromMs, toMs: fromMs + forMs }
    },
    changeHashRule() {
      rule = 1
    },
    advance(tickMs) {
      world.advance(tickMs)
      clock.nowMs = tickMs
      setActivities()
      if (tickMs < recording.fromMs) return
      connect()
      followDue()
      if (tickMs % SECOND_MS === 0) settlements.findRecorded()
      takeStated(tickMs - ASKED_AFTER_MS)
      recorder.tick(tickMs)
    },
  }
}

/** Every change costs CPU time, so only windows that are open and looked at change often. */
function activityOf(simulated: SimulatedMarket, nowMs: number): 'medium' | 'cold' {
  const { startMs = 0, endMs } = simulated.event
  return isWantedWindow(simulated) && nowMs >= startMs && nowMs < endMs ? 'medium' : 'cold'
}

function followedFromMs({ draft, event: { startMs = 0, endMs } }: SimulatedMarket): number {
  return draft.window === undefined ? LONG_LIVED_FROM_MS : startMs - leadMs(endMs - startMs)
}

function isOfLostSocket(market: Market): boolean {
  return isWindow(market) && market.subcategory === 'BTC'
}

function isWantedWindow({ draft: { window }, event }: SimulatedMarket): boolean {
  if (window === undefined || !COINS.includes(window.coin.symbol)) return false
  return window.length === '1h' || (window.length === '5m' && (event.startMs ?? 0) >= WORLD_FROM_MS)
}

/** The long-lived markets that are followed. */
function longLivedMarkets(world: World): SimulatedMarket[] {
  const eventsOf = new Map<string, number>()
  return world.events.flatMap((event) => {
    const [first] = event.markets
    if (first === undefined || first.draft.window !== undefined) return []
    const { category } = marketOf(first, world)
    const count = (eventsOf.get(category) ?? 0) + 1
    eventsOf.set(category, count)
    if (count > EVENTS_OF_A_CATEGORY) return []
    return event.markets.slice(0, MARKETS_OF_AN_EVENT)
  })
}

function busyMarket(markets: readonly SimulatedMarket[]): SimulatedMarket {
  const found = markets.find(({ draft: { slug } }) => slug.startsWith('what-price-will-bitcoin-hit'))
  if (found === undefined) throw new Error('the simulated world has no market about the highest price of Bitcoin')
  return found
}

/** The market as discovery reads it from the venue's catalogue. */
function marketOf(simulated: SimulatedMarket, world: World): Market {
  const event = GammaEventSchema.parse(gammaEvent(simulated.event, world, asEncodedText))
  const listed = event.markets.find((each) => (each as { slug?: unknown }).slug === simulated.draft.slug)
  for (const plan of CATEGORY_PLANS) {
    const market = readMarket(event, GammaMarketSchema.parse(listed), plan)
    if (typeof market !== 'string') return market
  }
  throw new Error(`${simulated.draft.slug} is not a market that the service records`)
}
