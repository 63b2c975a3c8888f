import { COINS } from '../world/spot.ts'
import { DELISTED_COIN, type PerpLadders, type PerpMarket, perpCoin } from './perp-market.ts'

/** Age of the data when a client receives it. */
const AGE_ON_ARRIVAL_MS = 300

export interface BookData {
  coin: string
  time: number
  levels: PerpLadders
}

/** The newest book that a client can get; undefined for a coin that was never listed. */
export function bookData(perps: PerpMarket, name: string, nowMs: number, depth?: number): BookData | undefined {
  const time = perps.blockTime(nowMs - AGE_ON_ARRIVAL_MS)
  if (name === DELISTED_COIN) return { coin: name, time, levels: [[], []] }
  const coin = perpCoin(name)
  return coin === undefined ? undefined : { coin: name, time, levels: perps.ladders(coin, time, depth) }
}

export function mids(perps: PerpMarket, nowMs: number): Record<string, string> {
  return Object.fromEntries(COINS.map((coin) => [coin.symbol, perps.middleText(coin, nowMs)]))
}
