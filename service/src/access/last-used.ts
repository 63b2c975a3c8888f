import type { Keys } from '../stores/accounts/keys.ts'

const ONCE_IN_MS = 60_000
const GATHER_MS = 2_000
const MOST_REMEMBERED = 100_000

/** When keys were used, written a little later and for each key at most once a minute. No request waits for it. */
export class LastUsed {
  readonly #keys: Pick<Keys, 'noteUse'>
  readonly #nowMs: () => number
  readonly #onTrouble: (error: unknown) => void
  readonly #notedAtMs = new Map<string, number>()
  #waiting = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: { keys: Pick<Keys, 'noteUse'>; nowMs: () => number; onTrouble: (error: unknown) => void }) {
    this.#keys = deps.keys
    this.#nowMs = deps.nowMs
    this.#onTrouble = deps.onTrouble
  }

  note(keyId: string): void {
    const nowMs = this.#nowMs()
    const notedAtMs = this.#notedAtMs.get(keyId)
    if (notedAtMs !== undefined && nowMs - notedAtMs < ONCE_IN_MS) return
    if (this.#notedAtMs.size >= MOST_REMEMBERED) this.#notedAtMs.clear()
    this.#notedAtMs.set(keyId, nowMs)
    this.#waiting.set(keyId, nowMs)
    this.#timer ??= setTimeout(() => void this.write(), GATHER_MS).unref()
  }

  /** Now rather than soon, as before the end of the process. Never throws: what is lost is noted again in a minute. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const uses = [...this.#waiting].map(([keyId, atMs]) => ({ keyId, atMs }))
    this.#waiting = new Map()
    try {
      await this.#keys.noteUse(uses)
    } catch (error) {
      this.#onTrouble(error)
    }
  }
}
