import { bar } from './bar.ts'
import { bytesText, durationText, grouped } from './numbers.ts'
import { shorten } from './text.ts'

const BAR_WIDTH = 24

/** Progress of a download, measured in rows: the number of rows is known at the start, file sizes are not. */
export class Progress {
  readonly #totalHours: number
  readonly #totalRows: number
  readonly #startedAtMs: number
  readonly #shares = new Map<string, { rows: number; share: number }>()
  #hours: number
  #rows: number
  #fetchedRows = 0
  #bytes = 0

  /** Files that were complete at the start count as done, but not for the speed. */
  constructor(
    total: { readonly hours: number; readonly rows: number },
    present: { readonly hours: number; readonly rows: number },
    startedAtMs: number,
  ) {
    this.#totalHours = total.hours
    this.#totalRows = total.rows
    this.#hours = present.hours
    this.#rows = present.rows
    this.#startedAtMs = startedAtMs
  }

  get hours(): number {
    return this.#hours
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Records a received chunk; `share` is the part of the file received so far. */
  received(file: string, bytes: number, rows: number, share: number): void {
    this.#bytes += bytes
    this.#shares.set(file, { rows, share })
  }

  finished(file: string, rows: number): void {
    this.#shares.delete(file)
    this.#hours++
    this.#rows += rows
    this.#fetchedRows += rows
  }

  /** Undefined until the first bytes arrive. */
  remainingMs(nowMs: number): number | undefined {
    const elapsedMs = nowMs - this.#startedAtMs
    const fetched = this.#fetchedRows + this.#partialRows()
    if (fetched <= 0 || elapsedMs <= 0) return undefined
    return ((this.#totalRows - this.#rows - this.#partialRows()) * elapsedMs) / fetched
  }

  text(nowMs: number, columns: number): string {
    const rows = this.#rows + this.#partialRows()
    const share = this.#totalRows === 0 ? 1 : rows / this.#totalRows
    const remainingMs = this.remainingMs(nowMs)
    const parts = [
      `${bar(share, BAR_WIDTH).padEnd(BAR_WIDTH, '░')} ${Math.floor(share * 100)} %`,
      `${grouped(this.#hours)}/${grouped(this.#totalHours)} hours`,
      `${grouped(Math.round(rows))} rows`,
      bytesText(this.#bytes),
      `ETA ${remainingMs === undefined ? '–' : durationText(remainingMs)}`,
    ]
    return shorten(parts.join('   '), columns)
  }

  #partialRows(): number {
    let rows = 0
    for (const each of this.#shares.values()) rows += each.rows * each.share
    return rows
  }
}
