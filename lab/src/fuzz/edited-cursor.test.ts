import { random } from '@bookreel/simulator/world/random'
import { expect, test } from 'vitest'
import { editedCursor } from './edited-cursor.ts'

const HASH = '0a1b2c3d'
const PARTS = [HASH, 1_794_737_100_000, 'btc-updown-5m', '42']
const CURSOR = Buffer.from(JSON.stringify(PARTS)).toString('base64url')
const TRIES = 500

test('an edited cursor is still a list of its kind, mostly with the hash of its list and another position', () => {
  const edited = Array.from({ length: TRIES }, (_, index) => editedCursor(CURSOR, random('cursor', index)))
  const read = edited.map((cursor): unknown[] => JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  expect(read.every((parts) => Array.isArray(parts))).toBe(true)
  expect(read.filter(([hash]) => hash === HASH).length).toBeGreaterThan(0.9 * TRIES)
  expect(edited.filter((cursor) => cursor !== CURSOR).length).toBeGreaterThan(0.9 * TRIES)
  const numbers = read.filter(([hash, at, ...rest]) => hash === HASH && typeof at === 'number' && rest.length === 2)
  expect(new Set(numbers.map(([, at]) => at)).size).toBeGreaterThan(8)
})
