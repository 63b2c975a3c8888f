interface SlottedRow {
  readonly slot: number
  readonly bytes: Uint8Array
}

/**
 * Rows that wait for a store, only the newest few of each key, so that an outage of the store does not fill memory.
 * When there are too many keys, the one without a new row for longest is dropped.
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

  /** Returns how many rows were dropped. A slot that is already held does not count. */
  add(key: string, row: Row): number {
    const rows = this.#byKey.get(key) ?? []
    if (rows.some(({ slot }) => slot === row.slot)) return 0
    const at = rows.findLastIndex(({ slot }) => slot < row.slot) + 1
    rows.splice(at, 0, row)
    const superseded = rows.splice(0, Math.max(0, rows.length - this.#rowsPerKey)).length
    this.#byKey.delete(key)
    this.#byKey.set(key, rows)
    return superseded + this.#dropOldestKey()
  }

  takeAll(): [key: string, row: Row][] {
    const taken = [...this.#byKey].flatMap(([key, rows]) => rows.map((row): [string, Row] => [key, row]))
    this.#byKey = new Map()
    return taken
  }

  #dropOldestKey(): number {
    if (this.#byKey.size <= this.#mostKeys) return 0
    for (const [key, rows] of this.#byKey) {
      this.#byKey.delete(key)
      return rows.length
    }
    return 0
  }
}
