/**
 * Prices and sizes are integers, because sums of floats differ from the numbers of the venue. The unit of prices is
 * 0.0001, the unit of sizes 0.000001 shares; a double is exact up to 9 billion shares.
 */
export const PRICE_DECIMALS = 4
export const SIZE_DECIMALS = 6
export const SIZE_ONE = 10 ** SIZE_DECIMALS
/** The unit of spot prices is 0.00000001 USD. */
export const SPOT_ONE = 100_000_000

const DECIMAL = /^(\d*)(?:\.(\d*))?$/

/** Parses a decimal into units; undefined when it is not a plain decimal or has too many decimals. */
export function unitsIn(text: string, decimals: number): number | undefined {
  const parts = DECIMAL.exec(text)
  if (parts === null || text === '' || text === '.') return undefined
  const [, whole = '', fraction = ''] = parts
  const kept = fraction.slice(0, decimals)
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined
  const units = Number(whole + kept.padEnd(decimals, '0'))
  return Number.isSafeInteger(units) ? units : undefined
}

/** The shortest decimal text, as venues write it: `0.5`, `12`, `0.001`. */
export function textOf(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The unit of recorded prices is 10^-18 USD, as exact as the most exact source. */
const USD_DECIMALS = 18

/** Parses a decimal in USD into units of 10^-18 USD; undefined when it is not a plain decimal or has more decimals. */
export function usdUnitsIn(text: string): bigint | undefined {
  const parts = DECIMAL.exec(text)
  if (parts === null || text === '' || text === '.') return undefined
  const [, whole = '', fraction = ''] = parts
  if (/[1-9]/.test(fraction.slice(USD_DECIMALS))) return undefined
  return BigInt(whole + fraction.slice(0, USD_DECIMALS).padEnd(USD_DECIMALS, '0'))
}

/** Parses a decimal that may be negative into units of 10^-18. */
export function signedUnitsIn(text: string): bigint | undefined {
  if (!text.startsWith('-')) return usdUnitsIn(text)
  const units = usdUnitsIn(text.slice(1))
  return units === undefined ? undefined : -units
}

/** The closest number to a figure in units of 10^-18. */
export function usdOf(units: bigint): number {
  if (units < 0n) return -usdOf(-units)
  const digits = String(units).padStart(USD_DECIMALS + 1, '0')
  return Number(`${digits.slice(0, -USD_DECIMALS)}.${digits.slice(-USD_DECIMALS)}`)
}
