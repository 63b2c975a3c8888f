// Nightly: watches simulated sockets for seconds of real time.
import { describe, expect, test } from 'vitest'
import { FAULT_NAMES } from '../src/faults/fault-list.ts'
import { FAULT_PROOFS } from './fault-proofs.ts'
import { isChange, scene } from './fault-scene.ts'
import { otherHotMarket } from './open-simulator.ts'
import { connectionsOf, deedsOf } from './switch-fault.ts'
import { TestClient } from './test-client.ts'

describe('each fault is visible on the connection', () => {
  for (const name of FAULT_NAMES) {
    test(name, async () => {
      await FAULT_PROOFS[name](await scene())
    })
  }
})

test('a fault affects only the connection it names', async () => {
  const { simulator, market, client, on } = await scene()
  const other = await TestClient.open(simulator.addresses.marketSocket)
  other.subscribe(market.tokenIds)
  await other.frame('first books', ({ json }) => Array.isArray(json))
  const [first] = await connectionsOf(simulator)
  await on('mute', { target: { connection: first } })
  await client.roundTrip()
  const held = client.frames.length
  await other.frame('change', isChange, other.frames.length + 5)
  await client.roundTrip()
  expect(client.frames.slice(held).filter(isChange)).toEqual([])
})

test('a fault affects only the market it names', async () => {
  const { simulator, market, client, on } = await scene()
  const other = otherHotMarket(simulator)
  client.send({ assets_ids: other.tokenIds, operation: 'subscribe' })
  await on('mute', { target: { market: market.conditionId } })
  await client.roundTrip()
  const held = client.frames.length
  await client.frame('change of the other', (frame) => isChange(frame) && frame.json.market === other.conditionId, held)
  expect(client.frames.slice(held).filter(({ json }) => json?.market === market.conditionId)).toEqual([])
})

test('the oracle lists which faults were switched on, when they occurred and on which connection', async () => {
  const { simulator, market, client, on } = await scene()
  const id = await on('drop', { times: 2 })
  await client.frame('change after the drops', isChange, client.frames.length)
  await expect.poll(async () => (await deedsOf(simulator, 'drop')).length).toBe(4)
  const deeds = await deedsOf(simulator, 'drop')
  expect(deeds.map(({ detail }) => detail)).toEqual(['switched on', undefined, undefined, 'switched off'])
  expect(deeds.every(({ faultId }) => faultId === id)).toBe(true)
  expect(deeds[1]).toMatchObject({ connection: 'polymarket-1', market: market.conditionId })
  expect(deeds[1]?.atMs).toBeGreaterThanOrEqual(deeds[0]?.atMs ?? Number.NaN)
})

test('an invalid command is refused with the reason', async () => {
  const { simulator } = await scene()
  const order = async (body: object) => {
    const answer = await fetch(`${simulator.addresses.admin}/faults`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    return [answer.status, ((await answer.json()) as { error: string }).error] as const
  }
  expect(await order({ name: 'sabotage' })).toEqual([400, expect.stringContaining('name')])
  expect(await order({ name: 'drop', rate: 2 })).toEqual([400, expect.stringContaining('rate')])
  expect(await order({ name: 'drop', who: 'me' })).toEqual([400, expect.stringContaining('who')])
  expect(await order({ name: 'clock-offset', options: { mss: 5 } })).toEqual([400, expect.stringContaining('mss')])
})
