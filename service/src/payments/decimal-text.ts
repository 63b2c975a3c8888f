const MOST_DECIMALS = 12

/** An amount of coins without an exponent. */
export function decimalText(amount: number): string {
  return amount.toFixed(MOST_DECIMALS).replace(/\.?0+$/, '')
}
