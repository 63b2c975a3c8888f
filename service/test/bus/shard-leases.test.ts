import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaseKeyOf, ShardLeases } from '../../src/bus/shard-leases.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>
let connection: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
  connection = await connect({
    servers: stack.variable('NATS_URL'),
    user: stack.variable('NATS_USER'),
    pass: stack.variable('NATS_PASSWORD'),
    reconnectTimeWait: 100,
    maxReconnectAttempts: -1,
  })
})

afterAll(async () => {
  await connection?.close()
  await stack?.stop()
})

function leasesOf(owner: string): Promise<ShardLeases> {
  return ShardLeases.open(jetstream(connection), owner, 60_000)
}

test('of many processes that request a shard at once exactly one gets the lease', async () => {
  const processes = await Promise.all(Array.from({ length: 10 }, (_, index) => leasesOf(`racer-${index}`)))
  const got = await Promise.all(processes.map((leases) => leases.acquire('polymarket.1')))
  expect(got.filter((lease) => lease !== undefined)).toHaveLength(1)
})

test('a lease that another process has taken is not renewed, nor released', async () => {
  const [first, second] = await Promise.all([leasesOf('first'), leasesOf('second')])
  const lease = await first.acquire('polymarket.2')
  expect(await lease?.renew()).toBe(true)
  expect(await second.acquire('polymarket.2')).toBeUndefined()
  // As if it had expired.
  await first.keys.delete(leaseKeyOf('polymarket.2'))
  await second.acquire('polymarket.2')
  expect(await lease?.renew()).toBe(false)
  await lease?.release()
  expect(await first.holderOf('polymarket.2')).toBe('second')
})

test('the next holder has a higher epoch and reads the saved state', async () => {
  const [first, second] = await Promise.all([leasesOf('first'), leasesOf('second')])
  const lease = await first.acquire('polymarket.3')
  await lease?.saveState(1_794_700_000_250, ['0x1'], { '0x2': 1_794_600_000_000 })
  await lease?.release()
  expect(lease?.isHeld).toBe(false)
  const next = await second.acquire('polymarket.3')
  expect(next?.epoch).toBeGreaterThan(lease?.epoch ?? Number.NaN)
  const state = await second.stateOf('polymarket.3')
  expect(state).toEqual({
    epoch: lease?.epoch,
    lastTickMs: 1_794_700_000_250,
    marketIds: ['0x1'],
    waiting: { '0x2': 1_794_600_000_000 },
    savedAtMs: expect.any(Number),
  })
  const serverTimeMs = await second.serverTimeMs()
  await next?.saveState(1_794_700_000_500, [])
  const { savedAtMs: laterMs = Number.NaN } = (await second.stateOf('polymarket.3')) ?? {}
  expect(serverTimeMs).toBeGreaterThanOrEqual(state?.savedAtMs ?? Number.NaN)
  // Times of NATS are whole milliseconds.
  expect(serverTimeMs).toBeLessThan(laterMs + 1)
  expect(await second.stateOf('polymarket.99')).toBeUndefined()
})

test('after the bucket of leases was lost, the next holder still has a higher epoch and can save its state', async () => {
  const first = await leasesOf('first')
  const lease = await first.acquire('polymarket.5')
  await lease?.saveState(1_000, ['0x1'])
  await (await jetstreamManager(connection)).streams.delete('KV_shard-leases')
  const second = await leasesOf('second')
  const next = await second.acquire('polymarket.5')
  expect(next?.epoch).toBeGreaterThan(lease?.epoch ?? Number.NaN)
  await next?.saveState(2_000, ['0x2'])
  expect(await second.stateOf('polymarket.5')).toMatchObject({ epoch: next?.epoch, lastTickMs: 2_000 })
  await expect(lease?.saveState(3_000, ['0x1'])).rejects.toThrow('a later recorder has saved the state')
})
