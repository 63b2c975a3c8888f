import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { AccessWatch } from '../../src/gateway/admission/access-watch.ts'
import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { AccessScene } from '../access/access-scene.ts'
import { type Line, openCutOffNode, PATIENCE_MS } from '../access/cut-off-node.ts'

const ENDS_AFTER_MS = 50_000

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

/** The streams of a node that nobody notifies. */
async function openWatch() {
  const node = await openCutOffNode(scene)
  const { accessControl, clock } = node
  const troubles: unknown[] = []
  const onTrouble = (error: unknown): void => void troubles.push(error)
  const watch = new AccessWatch({ ...node, onTrouble, answerWithinMs: PATIENCE_MS })
  /** Why each stream has ended: code of the frame, and of the close. */
  const ends: Record<string, string> = {}
  return {
    ...node,
    ends,
    troubles,
    async follow(name: string, key: string): Promise<void> {
      const caller = await accessControl.authenticate(key, '10.0.0.1')
      watch.add({ caller, connectionId: name }, ({ code, closeCode }) => {
        ends[name] = `${code} ${closeCode}`
      })
    },
    lookAt(nowMs: number): void {
      clock.nowMs = nowMs
      watch.look()
    },
  }
}

const REVOKED = 'unauthenticated 4003'
const UNCONFIRMED = 'store_unavailable 1001'

test.each<[state: string, cut: readonly Line[], ends: Record<string, string>]>([
  ['nobody notifies it', [], { revoked: REVOKED, moved: 'tier_changed 4010' }],
  ['it has lost Redis', ['redis'], { revoked: REVOKED, moved: 'tier_changed 4010' }],
  ['it has lost PostgreSQL', ['postgres'], { revoked: REVOKED, moved: UNCONFIRMED }],
])('a node ends the streams of a revoked key and of a changed tier when %s, and no others', async (_, cut, ends) => {
  await using node = await openWatch()
  const moved = await scene.newAccount('scale')
  const revoked = await scene.newKey((await scene.newAccount('pro')).id)
  await node.follow('revoked', revoked.key)
  await node.follow('moved', (await scene.newKey(moved.id)).key)
  await node.follow('stays', (await scene.newKey((await scene.newAccount('pro')).id)).key)
  node.cut(...cut)
  await revokeKey({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} }, revoked.stored.id)
  await scene.accounts.setTier(moved.id, { tier: 'pro', monthlyCredits: 0 })
  // As the nodes do that PostgreSQL notifies.
  await new AccessMarks(scene.redis).markChanged(moved.id)
  node.lookAt(PATIENCE_MS - 1)
  await expect.poll(() => node.ends).toEqual(ends)
})

test('a node that has lost both stores ends all streams after a minute', async () => {
  await using node = await openWatch()
  await node.follow('stream', (await scene.newKey((await scene.newAccount('pro')).id)).key)
  node.cut('postgres', 'redis')
  node.lookAt(PATIENCE_MS - 4_000)
  await expect.poll(() => node.troubles).toHaveLength(2)
  expect(node.ends).toEqual({})
  node.lookAt(PATIENCE_MS)
  await expect.poll(() => node.ends).toEqual({ stream: UNCONFIRMED })
})

/** A key that expires, and a tier that lapses. */
async function followEnding(node: Awaited<ReturnType<typeof openWatch>>) {
  const expiresAtMs = (await postgresNowMs(scene.database)) + ENDS_AFTER_MS
  const expiring = await scene.newKey((await scene.newAccount('pro')).id, { expiresAtMs })
  const lapsing = await scene.newAccount('free')
  await scene.accounts.setTier(lapsing.id, { tier: 'pro', expiresAtMs, monthlyCredits: 0 })
  await node.follow('expiring', expiring.key)
  await node.follow('lapsing', (await scene.newKey(lapsing.id)).key)
  return { keyId: expiring.stored.id, accountId: lapsing.id }
}

test.each<[cut: readonly Line[]]>([[['postgres']], [['postgres', 'redis']]])(
  'streams end with their key and tier, whose ends the node knows, without %s',
  async (cut) => {
    await using node = await openWatch()
    await followEnding(node)
    node.cut(...cut)
    node.lookAt(ENDS_AFTER_MS)
    await expect.poll(() => node.ends).toEqual({ expiring: REVOKED, lapsing: 'tier_not_allowed 4003' })
  },
)

test('PostgreSQL decides whether key and tier have ended, because the end may have been moved', async () => {
  await using node = await openWatch()
  await followEnding(node)
  const ended = await followEnding({
    ...node,
    follow: (name, key) => node.follow(`ended ${name}`, key),
  })
  await sql`UPDATE api_keys SET expires_at = now() WHERE id = ${ended.keyId}`.execute(scene.database)
  await sql`UPDATE accounts SET tier_expires_at = now() WHERE id = ${ended.accountId}`.execute(scene.database)
  node.lookAt(ENDS_AFTER_MS)
  const ends = { 'ended expiring': REVOKED, 'ended lapsing': 'tier_not_allowed 4003' }
  await expect.poll(() => node.ends).toEqual(ends)
})
