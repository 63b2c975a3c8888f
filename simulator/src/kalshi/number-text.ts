import { PRICE_ONE } from '../world/book.ts'

const HUNDREDTHS = Array.from({ length: 100 }, (_, part) => `.${String(part).padStart(2, '0')}`)
const PRICE_TEXTS = Array.from({ length: PRICE_ONE + 1 }, (_, price) => (price / PRICE_ONE).toFixed(4))

/** A price as the venue writes it, with four decimals. */
export function dollars(price: number): string {
  return PRICE_TEXTS[price] ?? (price / PRICE_ONE).toFixed(4)
}

/** A number of contracts, or a change of it, with two decimals. */
export function contracts(hundredths: number): string {
  const size = Math.abs(hundredths)
  return `${hundredths < 0 ? '-' : ''}${Math.floor(size / 100)}${HUNDREDTHS[size % 100]}`
}

/** RFC 3339 with microseconds, which have no meaning here but differ between changes. */
export function microTime(atMs: number, micros: number): string {
  return `${new Date(atMs).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, '0')}Z`
}

/** RFC 3339 in whole seconds. */
export function secondTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

/** RFC 3339 without zeros at the end of the fraction. */
export function shortTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.?0*Z$/, 'Z')
}

export function seconds(atMs: number): number {
  return Math.floor(atMs / 1000)
}
