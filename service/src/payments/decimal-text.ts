const MOST_DECIMALS = 12

/** An amount of coins without an exponent, with the digits that it was written with. */
export function decimalText(amount: number): string {
  const text = String(amount)
  return text.includes('e') ? amount.toFixed(MOST_DECIMALS).replace(/\.?0+$/, '') : text
}
