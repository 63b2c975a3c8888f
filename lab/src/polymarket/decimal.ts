// Prices and sizes are decimal texts of the venue. A float would turn 1 − 0.9 into 0.09999999999999998
// and so lose the level, hence whole numbers of 10⁻¹⁸.
const DECIMALS = 18
export const ONE = 10n ** BigInt(DECIMALS)
const DECIMAL = /^(\d*)(?:\.(\d+))?$/

/** The exact value in units of 10⁻¹⁸. Also takes `.48`, the form of the venue's documentation. */
export function toUnits(text: string): bigint {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined || whole + fraction === '' || fraction.length > DECIMALS)
    throw new Error(`not a decimal: ${JSON.stringify(text)}`)
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'))
}

/** 1 − price, written as the venue writes prices: without trailing zeros. */
export function complementOf(price: string): string {
  const units = ONE - toUnits(price)
  if (units < 0n) throw new Error(`the price is above 1: ${price}`)
  const fraction = (units % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '')
  return fraction === '' ? String(units / ONE) : `${units / ONE}.${fraction}`
}

/** The texts a last trade at this price may have: three decimals, and for finer prices what is near. */
export function lastTradeTexts(price: string): string[] {
  const [whole = '', fraction = ''] = price.split('.')
  const significant = fraction.replace(/0+$/, '')
  const cut = `${whole || '0'}.${significant.slice(0, 3).padEnd(3, '0')}`
  if (significant.length <= 3) return [cut]
  // How the venue writes a finer price is unknown: cut, rounded up, or in full.
  const up = (toUnits(cut) / 10n ** 15n + 1n).toString().padStart(4, '0')
  return [cut, `${up.slice(0, -3)}.${up.slice(-3)}`, `${whole || '0'}.${significant}`]
}
