export interface Alike {
  /** Number of the text in the index. */
  readonly number: number
  /** Shared trigrams divided by all trigrams of both texts, 0 to 1. */
  readonly likeness: number
}

export interface Choice {
  readonly isAllowed: (number: number) => boolean
  /** Which of two equally similar texts comes first. */
  readonly isFirst: (one: number, other: number) => boolean
}

/** The letters of slugs, encoded in six bits; all other letters are 0. */
const LETTERS = ' -.0123456789abcdefghijklmnopqrstuvwxyz'
const LETTER_BITS = 6
const TRIGRAM_COUNT = 2 ** (3 * LETTER_BITS)
const NUMBER_OF_LETTER = new Uint8Array(128)
for (const [index, letter] of LETTERS.split('').entries()) NUMBER_OF_LETTER[letter.charCodeAt(0)] = index + 1

/**
 * Finds similar texts by shared trigrams. The texts of the start are in three flat arrays, because the index is built
 * while requests wait: with sets of strings, 24,000 slugs take 200 ms. Texts that come later are in lists.
 */
export class TrigramIndex {
  /** Trigrams of each text, by its number; 0 for a text that was removed. */
  readonly #sizes: number[]
  /** The texts of the start that have trigram t: `#positions` from `#starts[t]` up to `#starts[t + 1]`. */
  readonly #starts = new Uint32Array(TRIGRAM_COUNT + 1)
  readonly #positions: Uint32Array
  /** The later texts by trigram. */
  readonly #later = new Map<number, number[]>()
  readonly #trigramsOf = trigramReader()

  /** The texts get the numbers from 0. */
  constructor(texts: readonly string[]) {
    this.#sizes = texts.map((text) => {
      const trigrams = this.#trigramsOf(text)
      for (const trigram of trigrams) this.#starts[trigram + 1] = (this.#starts[trigram + 1] ?? 0) + 1
      return trigrams.length
    })
    for (let trigram = 0; trigram < TRIGRAM_COUNT; trigram++) {
      this.#starts[trigram + 1] = (this.#starts[trigram + 1] ?? 0) + (this.#starts[trigram] ?? 0)
    }
    this.#positions = new Uint32Array(this.#starts[TRIGRAM_COUNT] ?? 0)
    const free = this.#starts.slice()
    for (const [number, text] of texts.entries()) {
      for (const trigram of this.#trigramsOf(text)) {
        const at = free[trigram] ?? 0
        this.#positions[at] = number
        free[trigram] = at + 1
      }
    }
  }

  /** Returns the number of the text, which no other text ever gets. */
  add(text: string): number {
    const trigrams = this.#trigramsOf(text)
    const number = this.#sizes.push(trigrams.length) - 1
    for (const trigram of trigrams) {
      const numbers = this.#later.get(trigram)
      if (numbers === undefined) this.#later.set(trigram, [number])
      else numbers.push(number)
    }
    return number
  }

  /** Its memory is not freed. */
  remove(number: number): void {
    this.#sizes[number] = 0
  }

  /** Best first; texts without shared trigrams are excluded. */
  mostAlike(text: string, most: number, { isAllowed, isFirst }: Choice): Alike[] {
    const isBefore = (one: Alike, other: Alike): boolean =>
      one.likeness > other.likeness || (one.likeness === other.likeness && isFirst(one.number, other.number))
    const trigrams = this.#trigramsOf(text)
    const shared = this.#sharedWith(trigrams)
    const best: Alike[] = []
    for (let number = 0; number < shared.length; number++) {
      const common = shared[number] ?? 0
      const size = this.#sizes[number] ?? 0
      if (common === 0 || size === 0) continue
      const alike = { number, likeness: common / (trigrams.length + size - common) }
      const worst = best.length < most ? undefined : best.at(-1)
      if ((worst !== undefined && !isBefore(alike, worst)) || !isAllowed(number)) continue
      const at = best.findIndex((each) => isBefore(alike, each))
      best.splice(at === -1 ? best.length : at, 0, alike)
      if (best.length > most) best.pop()
    }
    return best
  }

  /** How many of these trigrams each text has. */
  #sharedWith(trigrams: readonly number[]): Uint16Array {
    const shared = new Uint16Array(this.#sizes.length)
    for (const trigram of trigrams) {
      const end = this.#starts[trigram + 1] ?? 0
      for (let at = this.#starts[trigram] ?? 0; at < end; at++) {
        const number = this.#positions[at] ?? 0
        shared[number] = (shared[number] ?? 0) + 1
      }
      for (const number of this.#later.get(trigram) ?? []) shared[number] = (shared[number] ?? 0) + 1
    }
    return shared
  }
}

/** Returns the distinct trigrams of a text, including its marked start and end. */
function trigramReader(): (text: string) => number[] {
  const lastSeenIn = new Uint32Array(TRIGRAM_COUNT)
  let textNumber = 0
  return (text) => {
    textNumber++
    const trigrams: number[] = []
    const marked = `  ${text} `
    let trigram = 0
    for (let at = 0; at < marked.length; at++) {
      const letter = NUMBER_OF_LETTER[marked.charCodeAt(at)] ?? 0
      trigram = ((trigram << LETTER_BITS) | letter) & (TRIGRAM_COUNT - 1)
      if (at < 2 || lastSeenIn[trigram] === textNumber) continue
      lastSeenIn[trigram] = textNumber
      trigrams.push(trigram)
    }
    return trigrams
  }
}
