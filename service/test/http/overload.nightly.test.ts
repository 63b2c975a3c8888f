// Nightly: blocks the process for measured times.
// Covers: service/src/http/ service/src/pipeline/
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import { AccountConcurrency } from '../../src/access/account-concurrency.ts'
import { buildServer } from '../../src/http/server.ts'
import { apiMetrics } from '../../src/pipeline/api-metrics.ts'
import type { OpenStores } from '../../src/wiring/open-stores.ts'

const PATH = '/v1/payments/packs'

/** A service with only the endpoints that need no store. */
async function startServer(): Promise<{ server: FastifyInstance; address: string; lines: string[] }> {
  const lines: string[] = []
  const server = await buildServer({
    pipeline: {
      accessControl: { isKnown: () => false } as unknown as AccessControl,
      concurrency: new AccountConcurrency(),
      stores: {} as OpenStores,
      metrics: apiMetrics(new Registry()),
      nowMs: Date.now,
    },
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }),
    isHttpsRequired: false,
    trustedProxies: [],
  })
  onTestFinished(() => server.close())
  return { server, address: await server.listen({ host: '127.0.0.1', port: 0 }), lines }
}

/** Blocks the event loop of this process. */
function block(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs)
}

test('a single pause of the process refuses no request, neither waiting nor following ones', async () => {
  const { address, lines } = await startServer()
  const statusOf = async (): Promise<number> => (await fetch(`${address}${PATH}`)).status
  expect(await statusOf()).toBe(200)
  const waiting = Array.from({ length: 20 }, statusOf)
  await nextTurn()
  block(2_500)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]))
  expect(await statusOf()).toBe(200)
  expect(lines).toEqual([])
})

test('an overloaded process refuses with a retry time, stays healthy, and recovers', async () => {
  const { server, lines } = await startServer()
  await server.ready()
  const asked: Promise<LightMyRequestResponse>[] = []
  const health: Promise<LightMyRequestResponse>[] = []
  // Every round is one turn of the event loop with one late check, on a machine of any speed.
  for (let round = 0; round < 6; round++) {
    asked.push(server.inject(PATH))
    health.push(server.inject('/health/live'))
    block(1_200)
    await nextTurn()
  }
  const refused = (await Promise.all(asked)).find(({ statusCode }) => statusCode !== 200)
  expect(refused?.statusCode).toBe(503)
  expect(refused?.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' })
  expect(refused?.json()).toMatchObject({ error: 'overloaded', status: 503 })
  for (const { statusCode } of await Promise.all(health)) expect(statusCode).toBe(200)
  await vi.waitUntil(async () => (await server.inject(PATH)).statusCode === 200, { timeout: 120_000 })
  expect(lines.filter((line) => line.startsWith('load shedding'))).toEqual([
    'load shedding started',
    'load shedding ended',
  ])
}, 360_000)
