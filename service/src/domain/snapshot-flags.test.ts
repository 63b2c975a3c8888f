import { expect, test } from 'vitest'
import { proofOf } from '../venue-registry.ts'
import { PROOFS } from './proof.ts'
import { SNAPSHOT_FLAGS } from './rows/snapshot.ts'
import { marketFlags, tokenFlags } from './snapshot-flags.ts'

const { verifiedUp, verifiedDown, mirrored } = SNAPSHOT_FLAGS

test('where the venue offers a proof, a token is either verified or unverified; elsewhere it is never unverified', () => {
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
        const isUnverified = !isProved && proof !== 'none'
        expect(shown).toEqual([
          [isProved, isProved],
          [isUnverified, isUnverified],
        ])
      }
    }
  }
})

test('flags are listed in a fixed order', () => {
  expect(tokenFlags(mirrored, 1, 'hash', true)).toEqual(['unverified', 'mirrored', 'suspect'])
  expect(marketFlags(verifiedUp | mirrored, 'hash')).toEqual(['verified_up', 'unverified_down', 'mirrored'])
  expect(marketFlags(mirrored, 'none')).toEqual(['mirrored'])
})

test('Polymarket offers a hash; Hyperliquid and a venue that is not known offer nothing', () => {
  expect(['polymarket', 'hyperliquid', '', 'constructor'].map(proofOf)).toEqual(['hash', 'none', 'none', 'none'])
})
