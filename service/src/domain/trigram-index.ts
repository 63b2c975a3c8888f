export interface Alike {
  /** Index in the list of texts. */
  readonly position: number
  /** Shared trigrams divided by all trigrams of both texts, 0 to 1. */
  readonly likeness: number
}

/** The letters of slugs, encoded in six bits; all other letters are 0. */
const LETTERS = ' -.0123456789abcdefghijklmnopqrstuvwxyz'
const LETTER_BITS = 6
const TRIGRAM_COUNT = 2 ** (3 * LETTER_BITS)
const NUMBER_OF_LETTER = new Uint8Array(128)
for (const [index, letter] of LETTERS.split('').entries()) NUMBER_OF_LETTER[letter.charCodeAt(0)] = index + 1

/**
 * Finds similar texts by shared trigrams. Uses three flat arrays, because the index is rebuilt while requests wait:
 * with sets of strings, 24,000 slugs take 200 ms.
 */
export class TrigramIndex {
  /** The texts that have trigram t: `#positions` from `#starts[t]` up to `#starts[t + 1]`. */
  readonly #starts = new Uint32Array(TRIGRAM_COUNT + 1)
  readonly #positions: Uint32Array
  readonly #sizes: Uint16Array
  readonly #shared: Uint16Array
  readonly #trigramsOf = trigramReader()

  constructor(texts: readonly string[]) {
    this.#sizes = new Uint16Array(texts.length)
    this.#shared = new Uint16Array(texts.length)
    for (const [position, text] of texts.entries()) {
      const trigrams = this.#trigramsOf(text)
      this.#sizes[position] = trigrams.length
      for (const trigram of trigrams) this.#starts[trigram + 1] = (this.#starts[trigram + 1] ?? 0) + 1
    }
    for (let trigram = 0; trigram < TRIGRAM_COUNT; trigram++) {
      this.#starts[trigram + 1] = (this.#starts[trigram + 1] ?? 0) + (this.#starts[trigram] ?? 0)
    }
    this.#positions = new Uint32Array(this.#starts[TRIGRAM_COUNT] ?? 0)
    const free = this.#starts.slice()
    for (const [position, text] of texts.entries()) {
      for (const trigram of this.#trigramsOf(text)) {
        const at = free[trigram] ?? 0
        this.#positions[at] = position
        free[trigram] = at + 1
      }
    }
  }

  /** Best first, ties in list order; texts without shared trigrams are excluded. */
  mostAlike(text: string, most: number, isAllowed: (position: number) => boolean): Alike[] {
    const trigrams = this.#trigramsOf(text)
    const shared = this.#shared.fill(0)
    for (const trigram of trigrams) {
      const end = this.#starts[trigram + 1] ?? 0
      for (let at = this.#starts[trigram] ?? 0; at < end; at++) {
        const position = this.#positions[at] ?? 0
        shared[position] = (shared[position] ?? 0) + 1
      }
    }
    const best: Alike[] = []
    for (let position = 0; position < shared.length; position++) {
      const common = shared[position] ?? 0
      if (common === 0) continue
      const likeness = common / (trigrams.length + (this.#sizes[position] ?? 0) - common)
      const worst = best.length < most ? -1 : (best.at(-1)?.likeness ?? -1)
      if (likeness <= worst || !isAllowed(position)) continue
      const at = best.findIndex((each) => each.likeness < likeness)
      best.splice(at === -1 ? best.length : at, 0, { position, likeness })
      if (best.length > most) best.pop()
    }
    return best
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
