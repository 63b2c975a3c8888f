// Nightly: leases expire in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ShardLeases } from '../../src/bus/shard-leases.ts'

const TTL_MS = 1_000
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
  return ShardLeases.open(jetstream(connection), owner, TTL_MS)
}

test('a renewed lease stays; one that is not renewed expires after its time to live', async () => {
  const [first, second] = await Promise.all([leasesOf('first'), leasesOf('second')])
  const lease = await first.acquire('polymarket.2')
  for (let count = 0; count < 4; count++) {
    await new Promise((resolve) => setTimeout(resolve, TTL_MS / 2))
    expect(await lease?.renew()).toBe(true)
    expect(await second.acquire('polymarket.2')).toBeUndefined()
  }
  await expect.poll(() => second.acquire('polymarket.2')).toBeDefined()
  expect(lease?.isHeld).toBe(false)
  expect(await lease?.renew()).toBe(false)
})

test('the saved state survives a kill of the server', async () => {
  const leases = await leasesOf('holder')
  const lease = await leases.acquire('polymarket.4')
  await lease?.saveState(42, [])
  await stack.engine('nats').kill()
  await stack.engine('nats').restart()
  await expect
    .poll(async () => (await leases.stateOf('polymarket.4').catch(() => undefined))?.lastTickMs, { timeout: 120_000 })
    .toBe(42)
})
