import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRevocations } from '../../src/access/revocations.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { AccessScene } from './access-scene.ts'
import { type Line, openCutOffNode } from './cut-off-node.ts'

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

async function openNode() {
  const node = await openCutOffNode(scene)
  let isListening = false
  node.accessControl.onChange(() => {
    isListening = true
  })
  const stop = new AbortController()
  const running = runRevocations({ ...node, databaseUrl: node.noticesUrl, onTrouble: () => {} }, stop.signal)
  node.onDispose(async () => {
    stop.abort()
    await running
  })
  await expect.poll(() => isListening).toBe(true)
  return node
}

test.each<[state: string, cut: readonly Line[], lastLetInMs: number | undefined, refusal: string]>([
  ['everything is reachable: the next request', [], undefined, 'unauthenticated'],
  ['nobody tells it (LISTEN is broken): the next request, by Redis', ['notices'], undefined, 'unauthenticated'],
  ['it has lost Redis and nobody tells it: after 5 s', ['redis', 'notices'], 4_999, 'unauthenticated'],
  ['it is cut off from both: after 60 s', ['redis', 'notices', 'postgres'], 59_999, 'store_unavailable'],
])('a revoked key is refused by a node when %s', async (_, cut, lastLetInMs, refusal) => {
  // Made before the node listens: a notice of the new key would let it remember nothing.
  const { key, stored } = await scene.newKey((await scene.newAccount('enterprise')).id)
  await using node = await openNode()
  const { accessControl, clock } = node
  const answer = () =>
    accessControl
      .authenticate(key, '10.0.0.1')
      .then((caller) => accessControl.admit(caller))
      .then(
        () => 'let in',
        ({ code }) => code,
      )
  expect(await answer()).toBe('let in')
  node.cut(...cut)
  await revokeKey({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} }, stored.id)
  if (lastLetInMs !== undefined) {
    clock.nowMs = lastLetInMs
    expect(await answer()).toBe('let in')
    clock.nowMs += 1
  }
  expect(await answer()).toBe(refusal)
})
