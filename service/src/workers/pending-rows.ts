interface SlottedRow {
  readonly slot: number
  readonly bytes: Uint8Array
}

/**
 * Rows that wait for a store, of each key only the newest few. However long the store is away, no more is held
 * than it would keep; the keys that were quiet longest go first when there are too many.
 */
export class PendingRows<Row extends SlottedRow> {
  readonly #rowsPerKey: number
  readonly #mostKeys: number
  #byKey = new Map<string, Row[]>()

  constructor(rowsPerKey: number, mostKeys: number) {
    this.#rowsPerKey = rowsPerKey
    this.#mostKeys = mostKeys
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** Says how many rows had to go. A slot that is here already is no loss. */
  add(key: string, row: Row): number {
    const rows = this.#byKey.get(key) ?? []
    if (rows.some(({ slot }) => slot === row.slot)) return 0
    const at = rows.findLastIndex(({ slot }) => slot < row.slot) + 1
    rows.splice(at, 0, row)
    const superseded = rows.splice(0, Math.max(0, rows.length - this.#rowsPerKey)).length
    this.#byKey.delete(key)
    this.#byKey.set(key, rows)
    return superseded + this.#dropQuietest()
  }

  takeAll(): [key: string, row: Row][] {
    const taken = [...this.#byKey].flatMap(([key, rows]) => rows.map((row): [string, Row] => [key, row]))
    this.#byKey = new Map()
    return taken
  }

  #dropQuietest(): number {
    if (this.#byKey.size <= this.#mostKeys) return 0
    for (const [key, rows] of this.#byKey) {
      this.#byKey.delete(key)
      return rows.length
    }
    return 0
  }
}
