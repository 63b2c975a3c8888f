interface SlottedRow {
  readonly slot: number
  readonly bytes: Uint8Array
}

/**
 * Rows that wait for a store: only the newest few of each key, so that an outage does not fill the memory.
 * With too many keys, the key whose last row is oldest is dropped.
 */
export class PendingRows<Row extends SlottedRow> {
  readonly #rowsPerKey: number
  readonly #maxKeys: number
  #byKey = new Map<string, Row[]>()

  constructor(rowsPerKey: number, maxKeys: number) {
    this.#rowsPerKey = rowsPerKey
    this.#maxKeys = maxKeys
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** Returns how many rows were dropped. A repeated slot does not count. */
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
    if (this.#byKey.size <= this.#maxKeys) return 0
    for (const [key, rows] of this.#byKey) {
      this.#byKey.delete(key)
      return rows.length
    }
    return 0
  }
}
