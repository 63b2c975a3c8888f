import { createHash } from 'node:crypto'

/** Leaves and nodes are hashed differently, so that no node can be presented as a leaf (as in RFC 6962). */
const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

/** Every level of a tree: the leaves first, the root last. */
export type MerkleTree = readonly (readonly Buffer[])[]

export function leafHash(text: string): Buffer {
  return createHash('sha256').update(LEAF).update(text).digest()
}

/** A node without a neighbour moves up unchanged. */
export function merkleTree(leaves: readonly Buffer[]): MerkleTree {
  if (leaves.length === 0) throw new RangeError('a tree has at least one leaf')
  const levels = [leaves]
  for (let level = leaves; level.length > 1; ) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => parentAt(level, index))
    levels.push(level)
  }
  return levels
}

export function rootOf(tree: MerkleTree): Buffer {
  const root = tree.at(-1)?.[0]
  if (root === undefined) throw new RangeError('the tree has no root')
  return root
}

/** The neighbours on the way from a leaf to the root. */
export function pathFrom(tree: MerkleTree, leafIndex: number): Buffer[] {
  return tree.slice(0, -1).flatMap((level, height) => level[Math.floor(leafIndex / 2 ** height) ^ 1] ?? [])
}

function parentAt(level: readonly Buffer[], index: number): Buffer {
  const [left, right] = level.slice(2 * index, 2 * index + 2)
  if (left === undefined) throw new RangeError(`the level has no pair ${index}`)
  return right === undefined ? left : createHash('sha256').update(NODE).update(left).update(right).digest()
}
