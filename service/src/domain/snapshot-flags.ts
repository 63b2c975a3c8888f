import { SNAPSHOT_FLAGS } from './rows/snapshot.ts'

const { verifiedUp, verifiedDown, mirrored, oneSided, crossed } = SNAPSHOT_FLAGS

/** Flags that the API lists for a token, in this order, each with its bit for UP and for DOWN. */
export const TOKEN_FLAGS = [
  ['verified', [verifiedUp, verifiedDown]],
  ['mirrored', [mirrored, mirrored]],
  ['one_sided', [oneSided, oneSided]],
  ['crossed', [crossed, crossed]],
] as const

/** A later doubt is no bit of the row: a gap record of the kind `suspect` covers its slot. */
export const SUSPECT = 'suspect'

export function tokenFlags(bits: number, outcome: 0 | 1, isSuspect = false): string[] {
  const names: string[] = TOKEN_FLAGS.filter(([, ofToken]) => bits & ofToken[outcome]).map(([name]) => name)
  return isSuspect ? [...names, SUSPECT] : names
}

/** The same flags of both tokens in one list, as stream frames carry them. */
export function marketFlags(bits: number): string[] {
  return TOKEN_FLAGS.flatMap(([name, [up, down]]) => {
    if (up === down) return bits & up ? [name] : []
    return [...(bits & up ? [`${name}_up`] : []), ...(bits & down ? [`${name}_down`] : [])]
  })
}
