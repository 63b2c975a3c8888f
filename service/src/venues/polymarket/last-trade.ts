import { PRICE_ONE } from '../../domain/book.ts'
import { PRICE_DECIMALS, textOf } from '../../domain/decimal.ts'

/** What one unit of the third decimal is in price units. */
const THOUSANDTH = PRICE_ONE / 1000

/**
 * How the market's last trade may be written after a trade at this price: of one token at p, of the other at
 * one minus p, three decimals. How the venue writes finer prices nobody has seen: cut, rounded up or in full.
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

/** Every text that a trade on a tick of 0.001 or coarser can leave. */
export const EVERY_LAST_TRADE_TEXT: readonly string[] = Array.from({ length: 999 }, (_, index) =>
  thousandths(index + 1),
)
