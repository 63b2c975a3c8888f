export interface KeptAnswersOptions {
  readonly freshForMs: number
  /** Of more, those asked for longest ago are forgotten. */
  readonly most: number
}

/** Answers that many ask for within seconds, each made once; what fails or is undefined is not kept. */
export class KeptAnswers<T> {
  readonly #options: KeptAnswersOptions
  readonly #kept = new Map<string, { readonly madeAtMs: number; readonly answer: Promise<T> }>()

  constructor(options: KeptAnswersOptions) {
    this.#options = options
  }

  async get(key: string, nowMs: number, make: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key)
    if (kept !== undefined && nowMs - kept.madeAtMs < this.#options.freshForMs) return kept.answer
    const entry = { madeAtMs: nowMs, answer: make() }
    this.#kept.delete(key)
    this.#kept.set(key, entry)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#options.most && oldest !== undefined) this.#kept.delete(oldest)
    const forget = (): void => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key)
    }
    try {
      const answer = await entry.answer
      if (answer === undefined) forget()
      return answer
    } catch (error) {
      forget()
      throw error
    }
  }
}
