import type { Keys } from '../stores/accounts/keys.ts'

const WRITE_INTERVAL_MS = 60_000
const BATCH_DELAY_MS = 2_000
const MAX_KEYS = 100_000

/** Records when keys were last used, at most once a minute per key; no request waits for the batched writes. */
export class LastUsed {
  readonly #keys: Pick<Keys, 'noteUse'>
  readonly #nowMs: () => number
  readonly #onTrouble: (error: unknown) => void
  readonly #notedAtMs = new Map<string, number>()
  #pending = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: { keys: Pick<Keys, 'noteUse'>; nowMs: () => number; onTrouble: (error: unknown) => void }) {
    this.#keys = deps.keys
    this.#nowMs = deps.nowMs
    this.#onTrouble = deps.onTrouble
  }

  note(keyId: string): void {
    const nowMs = this.#nowMs()
    const notedAtMs = this.#notedAtMs.get(keyId)
    if (notedAtMs !== undefined && nowMs - notedAtMs < WRITE_INTERVAL_MS) return
    if (this.#notedAtMs.size >= MAX_KEYS) this.#notedAtMs.clear()
    this.#notedAtMs.set(keyId, nowMs)
    this.#pending.set(keyId, nowMs)
    this.#timer ??= setTimeout(() => void this.write(), BATCH_DELAY_MS).unref()
  }

  /** Writes immediately, for shutdown. Never throws; a lost write is repeated by a later request. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const uses = [...this.#pending].map(([keyId, atMs]) => ({ keyId, atMs }))
    this.#pending = new Map()
    try {
      await this.#keys.noteUse(uses)
    } catch (error) {
      this.#onTrouble(error)
    }
  }
}
