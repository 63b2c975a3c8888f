import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import { AccountConcurrency } from '../../src/access/account-concurrency.ts'
import { ApiError } from '../../src/domain/api-error.ts'
import { answer } from '../../src/pipeline/answer.ts'
import { apiMetrics } from '../../src/pipeline/api-metrics.ts'
import type { Exchange, Priced, Rendering } from '../../src/pipeline/exchange.ts'
import type { OpenStores } from '../../src/wiring/open-stores.ts'
import { AccessScene } from './access-scene.ts'

/** Where an API process can die, in the order of a request. From `charge lost` on, the charge is booked. */
const POINTS = [
  'before authentication',
  'before the rate limit',
  'before the input is read',
  'before the rows are read',
  'before the answer is written',
  'before the charge is sent',
  'charge lost',
  'before the answer is sent',
] as const
type Point = (typeof POINTS)[number]

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(async () => {
  const drifts = await scene.ledger.drifts()
  await scene[Symbol.asyncDispose]()
  expect(drifts).toEqual([])
})

interface Trouble {
  readonly at: Point
  /** Undefined: the process is gone. */
  readonly error?: ApiError
}

/** A process that serves one request, and dies or fails at a point. Resolves to what the client gets. */
async function request(key: string, idempotencyKey: string | undefined, trouble?: Trouble): Promise<string> {
  const dead = Promise.withResolvers<string>()
  const reach = async (point: Point): Promise<void> => {
    if (point !== trouble?.at) return
    if (trouble.error !== undefined) throw trouble.error
    dead.resolve('no answer')
    // A process that is gone does nothing more.
    await new Promise(() => {})
  }
  const real = scene.newAccessControl()
  const accessControl = {
    authenticate: async (...args: Parameters<AccessControl['authenticate']>) => {
      await reach('before authentication')
      return real.authenticate(...args)
    },
    admit: async (...args: Parameters<AccessControl['admit']>) => {
      await reach('before the rate limit')
      return real.admit(...args)
    },
    findPaid: real.findPaid.bind(real),
    requireCredits: real.requireCredits.bind(real),
    charge: async (...args: Parameters<AccessControl['charge']>) => {
      await reach('before the charge is sent')
      const receipt = await real.charge(...args)
      await reach('charge lost')
      return receipt
    },
    noteServed() {},
    noteRefused() {},
  } as unknown as AccessControl
  const exchange: Exchange<Priced, Rendering, string> = {
    transport: 'rest',
    operation: { name: 'read_history', access: { by: 'key', scope: 'history', credits: 10 } },
    route: 'read_history',
    requestId: 'id',
    credentials: { key, ip: '10.0.0.1' },
    async readInput() {
      await reach('before the input is read')
      return {
        given: {},
        requires: [],
        isFree: false,
        isUse: true,
        idempotencyKey,
        fingerprint: () => 'same request',
        async handle() {
          await reach('before the rows are read')
          return {}
        },
        async render() {
          await reach('before the answer is written')
          return { status: 200, isDelivered: true, hash: () => 'same answer' }
        },
      }
    },
    async send(_, receipt) {
      await reach('before the answer is sent')
      return `200 for ${receipt?.charged}`
    },
    refuse: ({ status }) => String(status),
  }
  const deps = {
    accessControl,
    concurrency: new AccountConcurrency(),
    stores: {} as OpenStores,
    metrics: apiMetrics(new Registry()),
    nowMs: () => WORLD_NOW_MS,
  }
  return Promise.race([answer(deps, exchange), dead.promise])
}

async function newCustomer(): Promise<{ key: string; spent: () => Promise<number> }> {
  const { id } = await scene.newAccount('pro', 100)
  const { key } = await scene.newKey(id)
  return { key, spent: async () => 100 - ((await scene.accounts.find(id))?.balance ?? 0) }
}

const isBooked = (point: Point): boolean => POINTS.indexOf(point) >= POINTS.indexOf('charge lost')

test.each(POINTS)('an API killed at "%s": the retry is answered, and both together are charged once', async (at) => {
  const { key, spent } = await newCustomer()
  expect(await request(key, 'mine', { at })).toBe('no answer')
  expect(await spent()).toBe(isBooked(at) ? 10 : 0)
  expect(await request(key, 'mine')).toBe(isBooked(at) ? '200 for 0' : '200 for 10')
  expect(await request(key, 'mine')).toBe('200 for 0')
  expect(await spent()).toBe(10)
})

test.each(POINTS.slice(0, 6))('an error at "%s" is never charged, with and without a key', async (at) => {
  const { key, spent } = await newCustomer()
  for (const [code, status] of [
    ['invalid_request', '400'],
    ['store_unavailable', '503'],
  ] as const) {
    for (const idempotencyKey of [undefined, 'mine']) {
      const error = new ApiError(code, 'refused here')
      expect(await request(key, idempotencyKey, { at, error })).toBe(status)
    }
  }
  expect(await spent()).toBe(0)
})
