import { z } from 'zod'
import type { CoinSymbol } from '../../domain/market.ts'
import { HttpRefusal, type VenueHttp } from '../venue-http.ts'

const ExchangeInfo = z.object({ symbols: z.array(z.object({ symbol: z.string(), status: z.string() })) })
const UNKNOWN_PAIR = 400

export function pairOf(coin: CoinSymbol): string {
  return `${coin}USDT`
}

/** Whether the pair of a coin exists and is traded. One pair per request: an unknown one fails the whole request. */
export async function isTraded(http: VenueHttp, coin: CoinSymbol, signal: AbortSignal): Promise<boolean> {
  const pair = pairOf(coin)
  try {
    const answer = await http.get(`/api/v3/exchangeInfo?symbol=${pair}`, signal)
    const { symbols } = ExchangeInfo.parse(JSON.parse(answer))
    return symbols.some(({ symbol, status }) => symbol === pair && status === 'TRADING')
  } catch (error) {
    if (error instanceof HttpRefusal && error.status === UNKNOWN_PAIR) return false
    throw error
  }
}
