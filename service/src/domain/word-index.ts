/** Words of a text, by how much they count in it. */
export type WeighedWords = ReadonlyMap<string, number>

export interface WordHit {
  readonly id: string
  /** Higher is better; comparable only within one search. */
  readonly score: number
}

export interface Page {
  readonly offset: number
  readonly limit: number
}

export interface FoundTexts {
  /** Of all pages. */
  readonly total: number
  /** Of the page. */
  readonly hits: readonly WordHit[]
}

interface Term {
  readonly word: string
  /** One bit for each letter that occurs; words that differ in few letters differ in few bits. */
  readonly letters: number
  /** Numbers of the texts that have it, and how much it counts in each; two lists, because they are read most. */
  readonly texts: number[]
  readonly weights: number[]
}

/** Beginnings are looked up by this many letters; shorter words are the beginning of too many others. */
const START_LETTERS = 3
const BEGINNING_COUNTS = 0.375
const MISSPELLED_COUNTS = 0.25
/** Letters by which a misspelled word may differ; two letters in the wrong order count as two. */
const differingLetters = (word: string): number => (word.length < 4 ? 0 : word.length < 6 ? 1 : 2)

/**
 * Texts by their words: whole words count most, then beginnings of words, then misspelled words. It works with numbers
 * of texts, because a search may find half of all texts, and an object for each of them takes most of the time.
 */
export class WordIndex {
  readonly #terms = new Map<string, Term>()
  readonly #byStart = new Map<string, Set<Term>>()
  readonly #byLength = new Map<number, Set<Term>>()
  readonly #numbers = new Map<string, number>()
  /** By the number of the text; a number that became free is given to a later text. */
  readonly #texts: ({ readonly id: string; readonly words: WeighedWords } | undefined)[] = []
  readonly #free: number[] = []

  has(id: string): boolean {
    return this.#numbers.has(id)
  }

  /** Adds a text, or replaces its words. */
  put(id: string, words: WeighedWords): void {
    this.remove(id)
    const number = this.#free.pop() ?? this.#texts.length
    this.#numbers.set(id, number)
    this.#texts[number] = { id, words }
    for (const [word, weight] of words) {
      const term = this.#termOf(word)
      term.texts.push(number)
      term.weights.push(weight)
    }
  }

  remove(id: string): void {
    const number = this.#numbers.get(id)
    if (number === undefined) return
    for (const word of this.#texts[number]?.words.keys() ?? []) {
      const term = this.#terms.get(word)
      if (term === undefined) continue
      const at = term.texts.indexOf(number)
      term.texts.splice(at, 1)
      term.weights.splice(at, 1)
      if (term.texts.length === 0) this.#drop(term)
    }
    this.#numbers.delete(id)
    this.#texts[number] = undefined
    this.#free.push(number)
  }

  /** Best first: the texts that have all words (at most 30), and when there is none, those that have some of them. */
  find(words: readonly string[], isWanted: (id: string) => boolean, { offset, limit }: Page): FoundTexts {
    const scores = new Float64Array(this.#texts.length)
    const found = new Uint32Array(this.#texts.length)
    for (const [place, word] of words.entries()) {
      for (const { term, counts } of this.#alike(word)) {
        const { texts, weights } = term
        const rarity = Math.log(1 + this.#numbers.size / texts.length) * counts
        for (let at = 0; at < texts.length; at++) {
          const number = texts[at] ?? 0
          scores[number] = (scores[number] ?? 0) + rarity * (weights[at] ?? 0)
          found[number] = (found[number] ?? 0) | (1 << place)
        }
      }
    }
    const some: number[] = []
    const all: number[] = []
    for (let number = 0; number < scores.length; number++) {
      const id = scores[number] === 0 ? undefined : this.#texts[number]?.id
      if (id === undefined || !isWanted(id)) continue
      some.push(number)
      if (found[number] === 2 ** words.length - 1) all.push(number)
    }
    const numbers = all.length > 0 ? all : some
    const best = bestOf(numbers, scores, offset + limit).slice(offset)
    return {
      total: numbers.length,
      hits: best.map((number) => ({ id: this.#texts[number]?.id ?? '', score: scores[number] ?? 0 })),
    }
  }

  /** The word itself, words that begin with it, and words of which it is a misspelling, each once. */
  #alike(word: string): { term: Term; counts: number }[] {
    const alike: { term: Term; counts: number }[] = []
    const seen = new Set<Term>()
    const add = (term: Term, counts: number): void => {
      if (!seen.has(term)) alike.push({ term, counts })
      seen.add(term)
    }
    const itself = this.#terms.get(word)
    if (itself !== undefined) add(itself, 1)
    for (const term of this.#byStart.get(startOf(word)) ?? []) {
      if (!term.word.startsWith(word)) continue
      add(term, (BEGINNING_COUNTS * term.word.length) / (term.word.length + 0.3 * (term.word.length - word.length)))
    }
    const most = differingLetters(word)
    const letters = lettersOf(word)
    for (let length = word.length - most; most > 0 && length <= word.length + most; length++) {
      for (const term of this.#byLength.get(length) ?? []) {
        // A changed letter changes at most two bits.
        if (bitCount(term.letters ^ letters) > 2 * most) continue
        const distance = editDistance(word, term.word, most)
        if (distance <= most) add(term, (MISSPELLED_COUNTS * length) / (length + distance))
      }
    }
    return alike
  }

  #termOf(word: string): Term {
    const known = this.#terms.get(word)
    if (known !== undefined) return known
    const term: Term = { word, letters: lettersOf(word), texts: [], weights: [] }
    this.#terms.set(word, term)
    if (word.length >= START_LETTERS) addTo(this.#byStart, startOf(word), term)
    addTo(this.#byLength, word.length, term)
    return term
  }

  #drop(term: Term): void {
    this.#terms.delete(term.word)
    removeFrom(this.#byStart, startOf(term.word), term)
    removeFrom(this.#byLength, term.word.length, term)
  }
}

/** Sorting thousands of texts to show twenty takes longer than finding them, and sorting their bare scores does not. */
function bestOf(numbers: readonly number[], scores: Float64Array, most: number): number[] {
  const scoreOf = (number: number): number => scores[number] ?? 0
  const least = Float64Array.from(numbers, scoreOf).sort().at(-most) ?? 0
  const best = numbers.filter((number) => scoreOf(number) >= least)
  return best.sort((one, other) => scoreOf(other) - scoreOf(one)).slice(0, most)
}

/** A word that is too short begins with nothing. */
function startOf(word: string): string {
  return word.slice(0, START_LETTERS)
}

function addTo<Key>(groups: Map<Key, Set<Term>>, key: Key, term: Term): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, new Set([term]))
  else group.add(term)
}

function removeFrom<Key>(groups: Map<Key, Set<Term>>, key: Key, term: Term): void {
  const group = groups.get(key)
  group?.delete(term)
  if (group?.size === 0) groups.delete(key)
}

function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Letters to insert, remove or change; more than `most` once it is certain to be more. */
function editDistance(one: string, other: string, most: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    let least = at + 1
    for (let to = 0; to < other.length; to++) {
      const changed = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1)
      const distance = Math.min(changed, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1)
      next.push(distance)
      least = Math.min(least, distance)
    }
    if (least > most) return least
    row = next
  }
  return row[other.length] ?? 0
}
