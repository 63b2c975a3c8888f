/** Rounded down, so that only a whole range is 100 %. */
export function percent(share: number, digits: number): string {
  return (Math.floor(share * 100 * 10 ** digits + 1e-6) / 10 ** digits).toFixed(digits)
}
