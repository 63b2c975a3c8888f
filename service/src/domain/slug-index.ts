import {
  claimsIn,
  contradicts,
  normaliseSlug,
  type SlugCandidate,
  type SlugClaims,
  type WindowRequest,
  windowRequestIn,
} from './slug.ts'
import { TrigramIndex } from './trigram-index.ts'

type SlugRule = 'exact' | 'window_at_time' | 'current_window' | 'prefix' | 'trigram'

export type SlugAnswer =
  | {
      readonly matchedBy: SlugRule
      readonly candidate: SlugCandidate
      /** Set when the slug names a time that no window of the index contains; an ended window may. */
      readonly window?: WindowRequest
    }
  | { readonly matchedBy: undefined; readonly candidates: readonly SlugCandidate[]; readonly window?: WindowRequest }

const MOST_CANDIDATES = 5
const CLEARLY_LIKE = 0.6
const CLEARLY_BETTER_BY = 0.1
const WORTH_MENTIONING = 0.2

/** Later slugs make the index slower and removed ones keep their memory, so it is built again after this many. */
const MOST_CHANGES = 4_000

interface Entry {
  readonly candidate: SlugCandidate
  /** Its number in the index of trigrams. */
  readonly number: number
}

/** A search index of slugs. */
export class SlugIndex {
  #byMarket = new Map<string, Entry>()
  /** Sorted by slug, then by end. */
  #sorted: SlugCandidate[] = []
  #byNumber: SlugCandidate[] = []
  #trigrams: TrigramIndex
  #changes = 0

  constructor(candidates: readonly SlugCandidate[]) {
    this.#trigrams = this.#build(candidates)
  }

  /** Adds a market, or replaces what was known of it. */
  put(candidate: SlugCandidate): void {
    this.remove(candidate.marketId)
    this.#sorted.splice(this.#placeOf(candidate), 0, candidate)
    const number = this.#trigrams.add(candidate.slug)
    this.#byNumber[number] = candidate
    this.#byMarket.set(candidate.marketId, { candidate, number })
    this.#changed()
  }

  remove(marketId: string): void {
    const known = this.#byMarket.get(marketId)
    if (known === undefined) return
    this.#byMarket.delete(marketId)
    this.#sorted.splice(this.#placeOf(known.candidate), 1)
    this.#trigrams.remove(known.number)
    this.#changed()
  }

  #changed(): void {
    if (++this.#changes > MOST_CHANGES) this.#trigrams = this.#build(this.#sorted)
  }

  #build(candidates: readonly SlugCandidate[]): TrigramIndex {
    this.#sorted = candidates.toSorted(inOrder)
    this.#byNumber = [...this.#sorted]
    this.#byMarket = new Map(this.#sorted.map((candidate, number) => [candidate.marketId, { candidate, number }]))
    this.#changes = 0
    return new TrigramIndex(this.#sorted.map(({ slug }) => slug))
  }

  /**
   * Finds the market of a slug: by exact match, the up/down form (the window at the time of the slug, else the current
   * one), a prefix, or similarity when one is clearly best. Otherwise returns candidates. The result never has another
   * coin or timeframe than the slug.
   */
  resolve(requested: string, nowMs: number): SlugAnswer {
    const slug = normaliseSlug(requested)
    const exact = this.#withSlug(requested) ?? this.#withSlug(slug)
    if (exact) return { matchedBy: 'exact', candidate: exact }
    const claims = claimsIn(slug)
    const window = windowRequestIn(slug)
    if (window) return this.#byWindow(window, nowMs) ?? this.#unknownWindow(slug, claims, window)
    const prefixed = this.#uniqueByPrefix(slug, claims, nowMs)
    if (prefixed) return { matchedBy: 'prefix', candidate: prefixed }
    const alike = this.#clearlyAlike(slug, claims)
    if (alike) return { matchedBy: 'trigram', candidate: alike }
    return { matchedBy: undefined, candidates: this.#suggestions(slug, claims) }
  }

  #byWindow(window: WindowRequest, nowMs: number): SlugAnswer | undefined {
    const { coin, timeframe, atMs } = window
    const series = this.#sorted.filter((each) => each.coin === coin && each.timeframe === timeframe)
    const atTime = atMs === undefined ? undefined : windowHolding(series, atMs)
    if (atTime) return { matchedBy: 'window_at_time', candidate: atTime }
    const current = windowHolding(series, nowMs)
    return current && { matchedBy: 'current_window', candidate: current, ...(atMs !== undefined && { window }) }
  }

  #unknownWindow(slug: string, claims: SlugClaims, window: WindowRequest): SlugAnswer {
    return { matchedBy: undefined, candidates: this.#suggestions(slug, claims), window }
  }

  /** Several matches are accepted only if they are windows of one series; the result is the current window. */
  #uniqueByPrefix(slug: string, claims: SlugClaims, nowMs: number): SlugCandidate | undefined {
    if (slug === '') return undefined
    const matches: SlugCandidate[] = []
    for (let index = this.#firstAtOrAfter(slug); ; index++) {
      const candidate = this.#sorted[index]
      if (!candidate?.slug.startsWith(slug)) break
      if (!contradicts(claims, candidate)) matches.push(candidate)
    }
    const [first] = matches
    if (first === undefined || matches.length === 1) return first
    const { coin, timeframe } = first
    const isOneSeries =
      coin !== undefined && matches.every((each) => each.coin === coin && each.timeframe === timeframe)
    return isOneSeries ? windowHolding(matches, nowMs) : undefined
  }

  #clearlyAlike(slug: string, claims: SlugClaims): SlugCandidate | undefined {
    const [best, second] = this.#alike(slug, claims, 2)
    if (!best || best.likeness < CLEARLY_LIKE) return undefined
    if (second && best.likeness - second.likeness < CLEARLY_BETTER_BY) return undefined
    // A different date, price or hour means a different market, even if the rest is similar.
    const words = new Set(best.candidate.slug.split('-'))
    const isSameNumbers = slug.split('-').every((word) => !/\d/.test(word) || words.has(word))
    return isSameNumbers ? best.candidate : undefined
  }

  #suggestions(slug: string, claims: SlugClaims): SlugCandidate[] {
    const fitting = this.#alike(slug, claims, MOST_CANDIDATES)
    const found = fitting.length > 0 ? fitting : this.#alike(slug, { isWindow: false }, MOST_CANDIDATES)
    return found.filter(({ likeness }) => likeness >= WORTH_MENTIONING).map(({ candidate }) => candidate)
  }

  #alike(slug: string, claims: SlugClaims, most: number): { candidate: SlugCandidate; likeness: number }[] {
    const isAllowed = (number: number): boolean => {
      const candidate = this.#byNumber[number]
      return candidate !== undefined && !contradicts(claims, candidate)
    }
    const isFirst = (one: number, other: number): boolean => {
      const [first, second] = [this.#byNumber[one], this.#byNumber[other]]
      return first !== undefined && second !== undefined && inOrder(first, second) < 0
    }
    return this.#trigrams.mostAlike(slug, most, { isAllowed, isFirst }).flatMap(({ number, likeness }) => {
      const candidate = this.#byNumber[number]
      return candidate ? [{ candidate, likeness }] : []
    })
  }

  /** Of several markets with one slug, the one that ends first. */
  #withSlug(slug: string): SlugCandidate | undefined {
    const first = this.#sorted[this.#firstAtOrAfter(slug)]
    return first?.slug === slug ? first : undefined
  }

  #firstAtOrAfter(slug: string): number {
    return this.#firstThat((each) => compare(each.slug, slug) >= 0)
  }

  #placeOf(candidate: SlugCandidate): number {
    return this.#firstThat((each) => inOrder(each, candidate) >= 0)
  }

  /** The first place from which on it holds. */
  #firstThat(holds: (candidate: SlugCandidate) => boolean): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const candidate = this.#sorted[middle]
      if (candidate === undefined || holds(candidate)) high = middle
      else low = middle + 1
    }
    return low
  }
}

function windowHolding(windows: readonly SlugCandidate[], atMs: number): SlugCandidate | undefined {
  return windows.find(({ startsAtMs, endsAtMs }) => startsAtMs !== undefined && startsAtMs <= atMs && atMs < endsAtMs)
}

function inOrder(one: SlugCandidate, other: SlugCandidate): number {
  return compare(one.slug, other.slug) || one.endsAtMs - other.endsAtMs || compare(one.marketId, other.marketId)
}

/** By UTF-16 unit, as `startsWith` sees it. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
