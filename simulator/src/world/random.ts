/**
 * Deterministic pseudo-random numbers that depend only on their names, so that the same seed and the same times give
 * the same frames.
 */

/** FNV-1a over the parts, finished by the murmur mixer so that close names give distant numbers. */
export function seedOf(...names: (string | number)[]): number {
  let hash = 0x811c9dc5
  for (const character of names.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  }
  return mix(hash)
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** One fixed number in [0, 1) for each (seed, index). */
export function fixedNumber(seed: number, index: number): number {
  const low = index >>> 0
  const high = Math.floor(index / 0x1_0000_0000) >>> 0
  return mix(mix(seed ^ low) ^ Math.imul(high, 0x9e3779b1)) / 0x1_0000_0000
}

/** A smooth curve through one fixed number in [-1, 1) per period. */
export function smoothNoise(seed: number, atMs: number, periodMs: number): number {
  const position = atMs / periodMs
  const index = Math.floor(position)
  const between = position - index
  const eased = between * between * (3 - 2 * between)
  const from = fixedNumber(seed, index)
  return (from + (fixedNumber(seed, index + 1) - from) * eased) * 2 - 1
}

export interface Random {
  /** In [0, 1). */
  next(): number
  /** A whole number from `from` up to and including `to`. */
  whole(from: number, to: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** Time to the next of events that come at `perSecond` on average, in whole milliseconds. */
  waitMs(perSecond: number): number
}

/** The sfc32 generator, one independent sequence for each name. */
export function random(...names: (string | number)[]): Random {
  let a = seedOf(...names, 'a')
  let b = seedOf(...names, 'b')
  let c = seedOf(...names, 'c')
  let counter = 1

  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }

  return {
    next,
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('cannot pick from an empty list')
      return item
    },
    waitMs: (perSecond) => Math.round((-Math.log(1 - next()) / perSecond) * 1000),
  }
}
