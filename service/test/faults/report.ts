/** Prints a figure that a test measured. */
export function report(what: string, figure: unknown): void {
  process.stdout.write(`${what}: ${JSON.stringify(figure)}\n`)
}
