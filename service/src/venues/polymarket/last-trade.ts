import { PRICE_ONE } from '../../domain/book.ts'
import { PRICE_DECIMALS, textOf } from '../../domain/decimal.ts'

/** 0.001 in price units. */
const THOUSANDTH = PRICE_ONE / 1000

/**
 * The possible texts of `last_trade_price` after a trade at this price: p or 1 − p, depending on the token, with
 * three decimals. How the venue writes finer prices is unknown, so cut, rounded up and in full are all tried.
 */
export function lastTradeTexts(price: number): string[] {
  const texts: string[] = []
  for (const view of [price, PRICE_ONE - price]) {
    const cut = Math.floor(view / THOUSANDTH)
    texts.push(thousandths(cut))
    if (view % THOUSANDTH !== 0) texts.push(thousandths(cut + 1), textOf(view, PRICE_DECIMALS))
  }
  return texts
}

function thousandths(count: number): string {
  return `${Math.floor(count / 1000)}.${String(count % 1000).padStart(3, '0')}`
}

/** Every possible text for ticks of 0.001 or coarser. */
export const EVERY_LAST_TRADE_TEXT: readonly string[] = Array.from({ length: 999 }, (_, index) =>
  thousandths(index + 1),
)
