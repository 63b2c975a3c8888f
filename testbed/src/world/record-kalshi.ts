import { Follower } from '@bookreel/service/capture/follower'
import type { PriceBoard } from '@bookreel/service/capture/price-board'
import { sampledBinary } from '@bookreel/service/capture/sampled-binary'
import type { Market } from '@bookreel/service/domain/market'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import { endingOf } from '@bookreel/service/venues/kalshi/endings'
import { readMarket } from '@bookreel/service/venues/kalshi/listed-market'
import { KalshiMarketSchema } from '@bookreel/service/venues/kalshi/market-schema'
import { FOLLOWED_SERIES } from '@bookreel/service/venues/kalshi/series'
import { kalshi } from '@bookreel/service/venues/kalshi/venue'
import { Oracle } from '@bookreel/simulator/faults/oracle'
import { Switchboard } from '@bookreel/simulator/faults/switchboard'
import { KalshiFeed } from '@bookreel/simulator/kalshi/kalshi-feed'
import type { KalshiMarket } from '@bookreel/simulator/kalshi/kalshi-market'
import { KalshiWorld } from '@bookreel/simulator/kalshi/kalshi-world'
import { marketObject } from '@bookreel/simulator/kalshi/market-objects'
import type { RecordedPart, Recording, VirtualClock } from './recording.ts'
import { WORLD_FROM_MS, WORLD_SEED } from './world-times.ts'

const SIZE = { hot: 1, medium: 1, cold: 0 }
const NO_ADDRESSES = { restUrl: '', socketUrl: '' }

/** Records Kalshi: a window of fifteen minutes that ends, the one after it, and a threshold of each hour. */
export function recordKalshi(recording: Recording, clock: VirtualClock, prices: PriceBoard): RecordedPart {
  const nowMs = (): number => clock.nowMs
  const recorder = recording.recorderOf('kalshi', clock)
  const follower = new Follower({
    venue: kalshi(NO_ADDRESSES),
    nowMs,
    onTrade: (trade) => recorder.trade(trade),
    onResolved: () => {},
    onProblem: ({ reason }) => {
      throw new Error(`a simulated frame was not understood: ${reason}`)
    },
    onDoubt: () => {},
  })
  const world = new KalshiWorld({ seed: WORLD_SEED, startMs: WORLD_FROM_MS, size: SIZE }, (happening) => {
    clock.nowMs = happening.atMs
    feed.publish(happening)
    if (happening.kind === 'lifecycle' && happening.event === 'settled') takeEnding(happening.market)
  })
  /** The recorder asks for the results of ended markets. */
  const takeEnding = (simulated: KalshiMarket): void => {
    const ending = endingOf(KalshiMarketSchema.parse(marketObject(simulated)), clock.nowMs)
    if (ending?.resolution === undefined || !follower.markets.has(ending.marketId)) return
    recording.resolutions.push(ending.resolution)
    recorder.remove(ending.marketId)
    follower.remove(ending.marketId)
  }
  const feed = new KalshiFeed(world, new Switchboard(WORLD_SEED, new Oracle(), nowMs))
  let receive = (_text: string): void => {}
  const take = (text: string): void => void follower.frame(text, clock.nowMs)
  feed.accept({
    id: 'recording',
    onText: (handle) => {
      receive = handle
    },
    onClose: () => {},
    send: take,
    reply: take,
    close: () => {},
    ping: () => {},
    marketsOf: () => [],
  })
  const known = new Set<string>()
  const followNew = (): void => {
    for (const simulated of world.markets.values()) {
      if (known.has(simulated.ticker) || simulated.status !== 'active') continue
      known.add(simulated.ticker)
      const market = marketOf(simulated)
      if (market === undefined) continue
      recording.listings.push({ market, seenAtMs: clock.nowMs })
      recorder.add(sampledBinary(follower.add(market), (each) => prices.quoteFor(each)))
      for (const frame of follower.protocolOf(0).subscribeFrames(market.tokenIds)) receive(frame)
    }
  }
  return {
    advance(tickMs) {
      world.advance(tickMs)
      clock.nowMs = tickMs
      if (tickMs < recording.fromMs) return
      followNew()
      recorder.tick(tickMs)
    },
  }
}

/** The market as discovery reads it; undefined for a series that is not followed. */
function marketOf(simulated: KalshiMarket): Market | undefined {
  const series = FOLLOWED_SERIES.find(({ ticker }) => ticker === simulated.event.series.facts.ticker)
  const plan = CATEGORY_PLANS.find(({ category }) => category === series?.category)
  if (series === undefined || plan === undefined) return undefined
  const market = readMarket(KalshiMarketSchema.parse(marketObject(simulated)), series, plan)
  if (typeof market === 'string') throw new Error(`${simulated.ticker} is not a market that the service records`)
  return market
}
