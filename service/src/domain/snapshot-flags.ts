import { SNAPSHOT_FLAGS } from './rows/snapshot.ts'

const { verifiedUp, verifiedDown, mirrored, oneSided, crossed } = SNAPSHOT_FLAGS

type TokenFlag = readonly [name: string, bits: readonly [up: number, down: number]]

/** Flags that the API lists for a token, in this order, each with its bit for UP and for DOWN. */
const KNOWN_TOKEN_FLAGS = [
  ['verified', [verifiedUp, verifiedDown]],
  ['mirrored', [mirrored, mirrored]],
  ['one_sided', [oneSided, oneSided]],
  ['crossed', [crossed, crossed]],
] as const

/** Bits that only a newer recorder sets are passed on by their number. */
const FLAG_BITS = 16
const knownBits = Object.values(SNAPSHOT_FLAGS).reduce((bits, bit) => bits | bit, 0)
const OTHER_FLAGS = Array.from({ length: FLAG_BITS }, (_, number): TokenFlag => {
  return [`bit_${number}`, [1 << number, 1 << number]]
}).filter(([, [bit]]) => (knownBits & bit) === 0)

export const TOKEN_FLAG_NAMES = KNOWN_TOKEN_FLAGS.map(([name]) => name)
export const TOKEN_FLAGS: readonly TokenFlag[] = [...KNOWN_TOKEN_FLAGS, ...OTHER_FLAGS]

/** Not a bit of the row: a gap record of the kind `suspect` covers its slot. */
export const SUSPECT = 'suspect'

export function tokenFlags(bits: number, outcome: 0 | 1, isSuspect = false): string[] {
  const names: string[] = TOKEN_FLAGS.filter(([, ofToken]) => bits & ofToken[outcome]).map(([name]) => name)
  return isSuspect ? [...names, SUSPECT] : names
}

/** The flags of both tokens in one list, for stream frames. */
export function marketFlags(bits: number): string[] {
  return TOKEN_FLAGS.flatMap(([name, [up, down]]) => {
    if (up === down) return bits & up ? [name] : []
    return [...(bits & up ? [`${name}_up`] : []), ...(bits & down ? [`${name}_down`] : [])]
  })
}
