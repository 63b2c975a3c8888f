/** As exact as a figure in a table needs to be. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100
}
