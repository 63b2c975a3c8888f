import assert from 'node:assert/strict'
import { startGatewayNode } from '../../gateway/gateway-node.ts'
import { StreamClient } from '../../gateway/stream-client.ts'
import type { ContractScene } from '../clause.ts'
import { type Clause, clause } from '../clause.ts'

/** Replays the market, goes back to the start after the first row, and plays it to the end. */
async function replayTwice(scene: ContractScene, market: { from: number; to: number }) {
  const { config, access, stores, nowMs } = scene.service
  const node = await startGatewayNode({ config, access, stores, nowMs, onTrouble: () => {} })
  const client = await StreamClient.open(
    `${node.url}/v1/stream`,
    await scene.service.keyOf('enterprise', { fresh: true }),
  )
  try {
    const selectors = [{ market: scene.value('closed') }]
    // At this speed the second row follows after seconds, so there is time to go back.
    const { replay: plan } = await client.ask({ op: 'replay', selectors, ...market, speed: 0.1 })
    await client.until(({ channel }) => channel === 'book')
    await client.ask({ op: 'replay.seek', to: market.from })
    await client.ask({ op: 'replay.speed', speed: 'max' })
    const ended = await client.until(({ type }) => type === 'replay_ended')
    return { plan, ended, sent: client.of('book').filter(({ seq }) => seq !== undefined).length }
  } finally {
    await client.close()
    await node.stop()
  }
}

export const replayClauses: readonly Clause[] = [
  clause('added', 'Rows that a replay sends again after a seek are free.', [
    {
      request: '/v1/markets/{closed}/snapshots?side=UP&limit=100',
      as: 'enterprise',
      check: async ({ body }, scene) => {
        const times = body.snapshots.map((each: { capture_timestamp: string }) => Date.parse(each.capture_timestamp))
        const range = { from: Math.min(...times) - 5_000, to: Math.max(...times) + 5_000 }
        const { plan, ended, sent } = await replayTwice(scene, range)
        assert.ok(times.length > 1)
        assert.ok(sent > times.length, 'no row was sent again')
        assert.partialDeepStrictEqual(ended, { reason: 'complete', rows: 2 * times.length, credits: 1 })
        assert.equal(ended.rows, plan.rows)
      },
    },
  ]),
]
