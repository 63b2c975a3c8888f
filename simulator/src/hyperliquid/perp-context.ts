import { fixedNumber, seedOf, smoothNoise } from '../world/random.ts'
import type { Coin } from '../world/spot.ts'
import { decimalText, type PerpMarket } from './perp-market.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400_000
/** The validators of the venue set the oracle price this often. */
const ORACLE_EVERY_MS = 3_000
/** Share of the seconds whose context is that of the second before. */
const UNCHANGED = 0.15

/** All values are strings, unlike in the venue's documentation; those of the book are null without a book. */
export interface AssetContext {
  funding: string
  openInterest: string
  prevDayPx: string
  dayNtlVlm: string
  premium: string | null
  oraclePx: string
  markPx: string
  midPx: string | null
  impactPxs: [bid: string, ask: string] | null
  dayBaseVlm: string
}

/** Of a coin without a book: what is computed from the book is null. */
export const DELISTED_CONTEXT: AssetContext = {
  funding: '0.0',
  openInterest: '0.0',
  prevDayPx: '0.37',
  dayNtlVlm: '0.0',
  premium: null,
  oraclePx: '0.37',
  markPx: '0.37',
  midPx: null,
  impactPxs: null,
  dayBaseVlm: '0.0',
}

/** The context that the venue tells in the second of this time: a pure function of time. */
export function assetContext(perps: PerpMarket, coin: Coin, atMs: number): AssetContext {
  const second = changedSecond(perps.seed, coin, Math.floor(atMs / SECOND_MS))
  const secondMs = second * SECOND_MS
  const noise = (name: string, periodMs: number): number =>
    smoothNoise(seedOf(perps.seed, name, coin.symbol), secondMs, periodMs)
  const [bids, asks] = perps.ladders(coin, secondMs, 1)
  const middle = perps.middleText(coin, secondMs)
  const oracle = perps.oraclePrice(coin, Math.floor(secondMs / ORACLE_EVERY_MS) * ORACLE_EVERY_MS)
  const premium = perps.middle(coin, secondMs) / oracle - 1
  const dayVolume = (1_500_000_000 * (1 + 0.2 * noise('day volume', DAY_MS))) / coin.usualPriceUsd
  return {
    funding: decimalText(0.0000125 + 0.00002 * noise('funding', 60_000), 10),
    openInterest: decimalText(
      (2_000_000_000 / coin.usualPriceUsd) * (1 + 0.05 * noise('open interest', 30_000)),
      coin.perpSizeDecimals,
    ),
    prevDayPx: perps.middleText(coin, secondMs - DAY_MS),
    dayNtlVlm: decimalText(dayVolume * coin.usualPriceUsd, 6),
    premium: decimalText(premium, 10),
    oraclePx: decimalText(Number(oracle.toPrecision(6)), 8),
    markPx: perps.middleText(coin, secondMs - SECOND_MS),
    midPx: middle,
    impactPxs: [bids[0]?.px ?? middle, asks[0]?.px ?? middle],
    dayBaseVlm: decimalText(dayVolume, coin.perpSizeDecimals),
  }
}

/** The contexts of a coin from one second to another, not included. */
export function contextsIn(
  perps: PerpMarket,
  coin: Coin,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): { time: number; ctx: AssetContext }[] {
  const [first, end] = [Math.ceil(fromMs / SECOND_MS), Math.ceil(toMs / SECOND_MS)]
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => {
    const time = (first + index) * SECOND_MS
    return { time, ctx: assetContext(perps, coin, time) }
  })
}

/** The last second, not after this one, in which the context changed. */
function changedSecond(seed: string, coin: Coin, second: number): number {
  const quiet = seedOf(seed, 'quiet seconds', coin.symbol)
  let found = second
  while (fixedNumber(quiet, found) < UNCHANGED) found--
  return found
}
