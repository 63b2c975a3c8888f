import type { Proof } from './proof.ts'
import { SNAPSHOT_FLAGS } from './rows/snapshot.ts'

const { verifiedUp, verifiedDown, mirrored, oneSided, crossed } = SNAPSHOT_FLAGS

interface TokenFlag {
  readonly name: string
  /** The bit for UP and for DOWN. */
  readonly bits: readonly [up: number, down: number]
  /** Listed when the bit is not set. */
  readonly isMissing?: true
  /** Listed only where the venue offers one of these proofs; undefined for every venue. */
  readonly proofs?: readonly Proof[]
}

/**
 * Flags that the API lists for a token, in this order. The bit says that the proof of the venue holds; only a hash proves
 * that the whole book is equal, so a book whose changes are numbered is never called verified.
 */
const KNOWN_TOKEN_FLAGS = [
  { name: 'verified', bits: [verifiedUp, verifiedDown], proofs: ['hash'] },
  { name: 'unverified', bits: [verifiedUp, verifiedDown], isMissing: true, proofs: ['hash', 'sequence'] },
  { name: 'mirrored', bits: [mirrored, mirrored] },
  { name: 'one_sided', bits: [oneSided, oneSided] },
  { name: 'crossed', bits: [crossed, crossed] },
] as const satisfies readonly TokenFlag[]

/** Bits that only a newer recorder sets are passed on by their number. */
const FLAG_BITS = 16
const knownBits = Object.values(SNAPSHOT_FLAGS).reduce((bits, bit) => bits | bit, 0)
const OTHER_FLAGS = Array.from({ length: FLAG_BITS }, (_, number): TokenFlag => {
  return { name: `bit_${number}`, bits: [1 << number, 1 << number] }
}).filter(({ bits: [bit] }) => (knownBits & bit) === 0)

export const TOKEN_FLAG_NAMES = KNOWN_TOKEN_FLAGS.map(({ name }) => name)
export const TOKEN_FLAGS: readonly TokenFlag[] = [...KNOWN_TOKEN_FLAGS, ...OTHER_FLAGS]

/** Not a bit of the row: a gap record of the kind `suspect` covers its slot. */
export const SUSPECT = 'suspect'

export function tokenFlags(bits: number, outcome: 0 | 1, proof: Proof, isSuspect = false): string[] {
  const names = TOKEN_FLAGS.filter((flag) => isListed(flag, bits, outcome, proof)).map(({ name }) => name)
  return isSuspect ? [...names, SUSPECT] : names
}

/** The flags of both tokens in one list, for stream frames. */
export function marketFlags(bits: number, proof: Proof): string[] {
  return TOKEN_FLAGS.flatMap((flag) => {
    const { name, bits: ofToken } = flag
    const [isUp, isDown] = [isListed(flag, bits, 0, proof), isListed(flag, bits, 1, proof)]
    if (ofToken[0] === ofToken[1]) return isUp ? [name] : []
    return [...(isUp ? [`${name}_up`] : []), ...(isDown ? [`${name}_down`] : [])]
  })
}

function isListed(flag: TokenFlag, bits: number, outcome: 0 | 1, proof: Proof): boolean {
  const isSet = (bits & flag.bits[outcome]) !== 0
  return isSet !== (flag.isMissing ?? false) && flag.proofs?.includes(proof) !== false
}
