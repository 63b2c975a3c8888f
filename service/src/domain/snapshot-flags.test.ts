import { expect, test } from 'vitest'
import { PROOFS } from './proof.ts'
import { SNAPSHOT_FLAGS } from './rows/snapshot.ts'
import { marketFlags, tokenFlags } from './snapshot-flags.ts'

const { verifiedUp, verifiedDown, mirrored } = SNAPSHOT_FLAGS

test('only a hash makes a token verified; it is unverified where the proof of the venue does not hold, and only there', () => {
  for (let bits = 0; bits < 1 << 8; bits++) {
    for (const proof of PROOFS) {
      const ofMarket = marketFlags(bits, proof)
      for (const [outcome, side] of [
        [0, 'up'],
        [1, 'down'],
      ] as const) {
        const isProved = (bits & (outcome === 0 ? verifiedUp : verifiedDown)) !== 0
        const flags = tokenFlags(bits, outcome, proof)
        const shown = ['verified', 'unverified'].map((name) => [
          flags.includes(name),
          ofMarket.includes(`${name}_${side}`),
        ])
        const isVerified = isProved && proof === 'hash'
        const isUnverified = !isProved && proof !== 'none'
        expect(shown).toEqual([
          [isVerified, isVerified],
          [isUnverified, isUnverified],
        ])
      }
    }
  }
})

test('flags are listed in a fixed order', () => {
  expect(tokenFlags(mirrored, 1, 'hash', true)).toEqual(['unverified', 'mirrored', 'suspect'])
  expect(marketFlags(verifiedUp | mirrored, 'hash')).toEqual(['verified_up', 'unverified_down', 'mirrored'])
  expect(marketFlags(verifiedUp | mirrored, 'sequence')).toEqual(['unverified_down', 'mirrored'])
  expect(marketFlags(verifiedUp | mirrored, 'none')).toEqual(['mirrored'])
})
