/**
 * Prices and sizes as whole numbers of their finest unit, because a float that has been added to is no
 * longer the number the venue sent. Prices count 0.0001, sizes count 0.000001 shares; both fit a double
 * exactly up to nine thousand million shares.
 */
export const PRICE_DECIMALS = 4
export const SIZE_DECIMALS = 6
export const SIZE_ONE = 10 ** SIZE_DECIMALS
/** Spot prices count 0.00000001 USD. */
export const SPOT_ONE = 100_000_000

const DECIMAL = /^(\d*)(?:\.(\d*))?$/

/** The whole number of units that a decimal text stands for; undefined when it is no plain decimal or finer than the unit. */
export function unitsIn(text: string, decimals: number): number | undefined {
  const parts = DECIMAL.exec(text)
  if (parts === null || text === '' || text === '.') return undefined
  const [, whole = '', fraction = ''] = parts
  const kept = fraction.slice(0, decimals)
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined
  const units = Number(whole + kept.padEnd(decimals, '0'))
  return Number.isSafeInteger(units) ? units : undefined
}

/** The shortest text of that many units, as the venues write it: `0.5`, `12`, `0.001`. */
export function textOf(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
