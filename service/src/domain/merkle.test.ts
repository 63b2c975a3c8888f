import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { leafHash, merkleTree, pathFrom, rootOf } from './merkle.ts'

/** The definition of RFC 6962, section 2.1, which splits at the largest power of two. */
function rootByDefinition(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves
  if (leaves.length === 1 && only !== undefined) return only
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)].map(rootByDefinition)
  return createHash('sha256')
    .update(Buffer.concat([Buffer.of(1), left ?? Buffer.of(), right ?? Buffer.of()]))
    .digest()
}

const leavesOf = (count: number): Buffer[] => Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`))

test('a leaf is hashed as RFC 6962 says', () => {
  expect(leafHash('').toString('hex')).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d')
})

test('the root is that of RFC 6962 for every number of leaves', () => {
  for (let count = 1; count <= 40; count++)
    expect(rootOf(merkleTree(leavesOf(count))).equals(rootByDefinition(leavesOf(count))), `${count}`).toBe(true)
})

test('a path has the neighbours of a leaf, at most one on each level', () => {
  const tree = merkleTree(leavesOf(5))
  expect(tree.map(({ length }) => length)).toEqual([5, 3, 2, 1])
  expect(pathFrom(tree, 0)).toEqual([tree[0]?.[1], tree[1]?.[1], tree[2]?.[1]])
  expect(pathFrom(tree, 4)).toEqual([tree[2]?.[0]])
})

test('a tree has at least one leaf', () => {
  expect(() => merkleTree([])).toThrow('at least one leaf')
})
