/** The next of 1, 2, 5, 10, 20, … */
export function niceTop(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 5, 10].find((each) => each * unit >= value) ?? 10
  return factor * unit
}
