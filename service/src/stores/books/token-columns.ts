import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'

/** SQL over the rows of `snapshots`, in units, for one token. */
export interface TokenColumns {
  readonly bidPrices: string
  readonly bidSizes: string
  readonly askPrices: string
  readonly askSizes: string
  readonly bestBid: string
  readonly bestAsk: string
}

export type TokenSide = 'UP' | 'DOWN'

const IS_MIRRORED = `bitAnd(flags, ${SNAPSHOT_FLAGS.mirrored}) != 0`

const LADDERS: Record<TokenSide, Pick<TokenColumns, 'bidPrices' | 'bidSizes' | 'askPrices' | 'askSizes'>> = {
  UP: { bidPrices: 'up_bid_prices', bidSizes: 'up_bid_sizes', askPrices: 'up_ask_prices', askSizes: 'up_ask_sizes' },
  DOWN: {
    bidPrices: `if(${IS_MIRRORED}, ${mirrored('up_ask_prices')}, down_bid_prices)`,
    bidSizes: `if(${IS_MIRRORED}, up_ask_sizes, down_bid_sizes)`,
    askPrices: `if(${IS_MIRRORED}, ${mirrored('up_bid_prices')}, down_ask_prices)`,
    askSizes: `if(${IS_MIRRORED}, up_bid_sizes, down_ask_sizes)`,
  },
}

/** `mirrorOf` and the best prices of `figuresOf`, in SQL: an empty side counts as 0 or 1. */
export function tokenColumns(side: TokenSide): TokenColumns {
  const { bidPrices, askPrices } = LADDERS[side]
  return {
    ...LADDERS[side],
    bestBid: `toInt32((${bidPrices})[1])`,
    bestAsk: `if(empty(${askPrices}), 10000, toInt32((${askPrices})[1]))`,
  }
}

export function hasFlag(flag: keyof typeof SNAPSHOT_FLAGS): string {
  return `bitAnd(flags, ${SNAPSHOT_FLAGS[flag]}) != 0`
}

function mirrored(prices: string): string {
  return `arrayMap(price -> toUInt16(10000 - price), ${prices})`
}
