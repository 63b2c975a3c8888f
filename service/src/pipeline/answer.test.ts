import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { AccessControl } from '../access/access-control.ts'
import { AccountConcurrency } from '../access/account-concurrency.ts'
import type { Caller } from '../access/caller.ts'
import { ChangedAnswer, type Purchase } from '../access/credit-charger.ts'
import { ApiError } from '../domain/api-error.ts'
import { answer, type PipelineDeps } from './answer.ts'
import { apiMetrics } from './api-metrics.ts'
import type { Exchange, Priced, Rendering } from './exchange.ts'

const CALLER = { accountId: 'account', tier: 'pro', scopes: ['history'] } as unknown as Caller

/** A pipeline and an exchange that record each step; the step named in `failing` throws. */
interface Changes {
  readonly failing?: string
  readonly isDelivered?: boolean
  readonly disconnects?: boolean
  readonly credits?: number
  /** What was charged under the idempotency key, at each look. */
  readonly paid?: readonly ({ read?: { atMs: number } } | undefined)[]
}

function scene(changes: Changes = {}) {
  const steps: string[] = []
  const looks = [...(changes.paid ?? [])]
  const step = <T = undefined>(name: string, result?: T): T => {
    steps.push(name)
    if (name === changes.failing) throw new ApiError('invalid_request', 'refused here')
    return result as T
  }
  const accessControl = {
    authenticate: async () => step('authenticate', CALLER),
    admit: async () => step('admit', { limit: 1, remaining: 0, resetSeconds: 1, degraded: false }),
    findPaid: async () => step('find paid', looks.shift()),
    requireCredits: async () => step('require credits'),
    async charge(_: Caller, { answerHash }: Purchase) {
      step(`charge${answerHash === undefined ? '' : ` ${answerHash}`}`)
      const isOther = changes.paid?.at(-1)?.read !== undefined && answerHash !== 'read at 7'
      if (isOther) throw new ChangedAnswer()
      return { charged: 10, remaining: 0, replayed: false }
    },
    noteServed: () => step('note use'),
    noteRefused: (_: Caller, name: string, code: string) => step(`note ${code} of ${name}`),
  }
  const registry = new Registry()
  const deps: PipelineDeps = {
    accessControl: accessControl as unknown as AccessControl,
    concurrency: new AccountConcurrency(),
    stores: {} as PipelineDeps['stores'],
    metrics: apiMetrics(registry),
    nowMs: () => 0,
  }
  let disconnect = (): void => {}
  const exchange: Exchange<Priced, Rendering, string> = {
    transport: 'rest',
    operation: { name: 'read_history', access: { by: 'key', scope: 'history', credits: changes.credits ?? 10 } },
    route: 'read_history',
    requestId: 'id',
    credentials: { key: 'key', ip: '10.0.0.1' },
    onDisconnect(callback) {
      disconnect = callback
      return () => {}
    },
    async readInput() {
      step('read')
      return {
        given: {},
        requires: [],
        isFree: false,
        isUse: true,
        ...(changes.paid && { idempotencyKey: 'mine' }),
        fingerprint: () => 'fingerprint',
        handle: async ({ paidRead }) => step('handle', { readUpToSlot: paidRead?.atMs }),
        render({ readUpToSlot }) {
          step('render')
          if (changes.disconnects) disconnect()
          return {
            status: 200,
            isDelivered: changes.isDelivered ?? true,
            discard: () => steps.push('discard'),
            hash: () => `read at ${readUpToSlot ?? 'now'}`,
          }
        },
      }
    },
    send: () => step('send', 'sent'),
    refuse: ({ code }) => step('refuse', code),
  }
  const statuses = async () =>
    (await registry.getMetricsAsJSON())
      .find(({ name }) => name === 'api_requests_total')
      ?.values.map((each) => each.labels)
  return { steps, statuses, answered: answer(deps, exchange) }
}

const ALL = ['authenticate', 'admit', 'read', 'require credits', 'handle', 'render', 'charge', 'send', 'note use']

test('a paid request takes every step, in this order', async () => {
  const { steps, answered } = scene()
  expect(await answered).toBe('sent')
  expect(steps).toEqual(ALL)
})

test.each(ALL.slice(0, 6))(
  'a request that is refused at "%s" takes no further step and is not charged',
  async (failing) => {
    const { steps, answered, statuses } = scene({ failing })
    expect(await answered).toBe('invalid_request')
    const noted = failing === 'authenticate' ? [] : ['note invalid_request of read_history']
    expect(steps).toEqual([...ALL.slice(0, ALL.indexOf(failing) + 1), ...noted, 'refuse'])
    expect(await statuses()).toEqual([{ transport: 'rest', route: 'read_history', status: 400 }])
  },
)

test('an answer that can not be charged is discarded', async () => {
  const { steps, answered } = scene({ failing: 'charge' })
  expect(await answered).toBe('invalid_request')
  expect(steps.slice(-4)).toEqual(['charge', 'discard', 'note invalid_request of read_history', 'refuse'])
})

test('a retry reads what the charged request read, without a look at the balance', async () => {
  const { steps, answered } = scene({ paid: [{ read: { atMs: 7 } }] })
  expect(await answered).toBe('sent')
  expect(steps.slice(3)).toEqual(['find paid', 'handle', 'render', 'charge read at 7', 'send', 'note use'])
})

test('a retry that overtakes its first request reads again what the first has read', async () => {
  const { steps, answered } = scene({ paid: [undefined, { read: { atMs: 7 } }] })
  expect(await answered).toBe('sent')
  expect(steps.slice(4)).toEqual([
    ...['require credits', 'handle', 'render', 'charge read at now', 'discard'],
    ...['find paid', 'handle', 'render', 'charge read at 7', 'send', 'note use'],
  ])
})

test('headers alone are sent and not charged', async () => {
  const { steps, answered } = scene({ isDelivered: false })
  expect(await answered).toBe('sent')
  expect(steps).toEqual(ALL.filter((each) => each !== 'charge'))
})

test('a caller who disconnects before the answer is not charged and is recorded as 499', async () => {
  const { steps, answered, statuses } = scene({ disconnects: true })
  await answered
  expect(steps).toEqual([...ALL.slice(0, 6), 'discard', 'refuse'])
  expect(await statuses()).toEqual([{ transport: 'rest', route: 'read_history', status: 499 }])
})
