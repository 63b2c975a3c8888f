import { numberText } from './formats.ts'

/** Since when a map shows trades, and why not longer. */
export function tradesText(time: string, { isFull, most }: { isFull: boolean; most: number }): string {
  if (isFull) return `Trades are shown from ${time} on: the map shows the newest ${numberText(most)}.`
  return `Trades are shown from ${time} on. Older ones could not be loaded; the page tries again.`
}
