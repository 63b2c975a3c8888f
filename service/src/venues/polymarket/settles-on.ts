import type { PriceSource } from '../../domain/price.ts'

/** What the windows of a timeframe settle on; undefined for markets that compare no prices. */
export function settlesOn(timeframe: string): PriceSource | undefined {
  switch (timeframe) {
    case '5m':
    case '15m':
    case '4h':
      return 'twap60'
    case '1h':
    case '1d':
      return 'binance'
    default:
      return undefined
  }
}
