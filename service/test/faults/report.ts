/** A figure that a test measured, for whoever reads its output. */
export function report(what: string, figure: unknown): void {
  process.stdout.write(`${what}: ${JSON.stringify(figure)}\n`)
}
