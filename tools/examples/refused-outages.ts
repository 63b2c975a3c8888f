import { readConfig } from '@bookreel/service/config'
import type { ErrorExample } from '@bookreel/service/http/examples'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import { answerOfOverloadedServer } from '@bookreel/testbed/service/overloaded-server'
import { until } from '@bookreel/testbed/until'
import type { SimulatedService } from '../simulated-service.ts'
import { orderOf } from './eventful-service.ts'
import { exampleOf, type Refusal, type RefusalScene } from './refusal.ts'
import { send } from './send.ts'

/** A refusal for which a part of the service must fail; `fail` makes it fail and returns how to repair it. */
export interface OutageRefusal extends Refusal {
  fail(service: SimulatedService, scene: RefusalScene): Promise<() => Promise<void>>
}

/** The outage of ClickHouse is part of the events of the service, so it is not made again here. */
export const STORE_UNAVAILABLE: Refusal = {
  code: 'store_unavailable',
  when: 'ClickHouse is stopped.',
  request: ({ keys, values }) => ({
    path: `/v1/markets/${values.MARKET}/bars`,
    headers: { 'X-API-Key': keys.pro },
  }),
}

export const REFUSED_OUTAGES: readonly OutageRefusal[] = [
  {
    code: 'processor_unavailable',
    when: 'The payment processor does not answer.',
    async fail(service) {
      await orderOf(service, '/payments/delivery', { away: true })
      return async () => void (await orderOf(service, '/payments/delivery', { away: false }))
    },
    request: ({ arrangedUser }) => ({
      method: 'POST',
      path: '/v1/payments/create-invoice',
      headers: { ...arrangedUser.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ pack: 'credits_100k' }),
    }),
  },
  {
    code: 'sign_in_unavailable',
    when: 'The identity provider is stopped.',
    // The usual process knows the identity provider already and would redirect to it.
    to: ({ unpaidAddress }) => unpaidAddress,
    async fail({ stack }) {
      await stack.engine('identity').kill()
      return () => stack.engine('identity').restart()
    },
    request: () => ({ path: '/auth/login' }),
  },
  {
    code: 'internal',
    when: 'A table of ClickHouse is missing.',
    async fail({ environment }) {
      const client = openClickHouse(readConfig(environment))
      await client.command({ query: 'RENAME TABLE trades TO trades_away' })
      return async () => {
        await client.command({ query: 'RENAME TABLE trades_away TO trades' })
        await client.close()
      }
    },
    request: ({ keys, values }) => ({
      path: `/v1/trades?marketId=${values.PAST_MARKET}`,
      headers: { 'X-API-Key': keys.pro },
    }),
  },
  {
    code: 'no_recent_data',
    when: 'The recorder has been suspended for a minute.',
    fail: suspendRecorder,
    request: ({ keys, lastingMarket }) => ({ path: bookOf(lastingMarket), headers: { 'X-API-Key': keys.pro } }),
  },
]

/** The recorder stays suspended for longer than live books may be old. */
async function suspendRecorder(service: SimulatedService, { address, keys, lastingMarket }: RefusalScene) {
  service.signal('recorder', 'SIGSTOP')
  const request = { method: 'GET', path: bookOf(lastingMarket), headers: { 'X-API-Key': keys.scale } } as const
  const isOld = async (): Promise<boolean> => (await send(address, request)).text.includes('"no_recent_data"')
  await until('the newest book is older than a minute', isOld, { withinMs: 180_000, everyMs: 2_000 })
  return async () => service.signal('recorder', 'SIGCONT')
}

function bookOf(market: string): string {
  return `/v1/markets/${market}/orderbook`
}

const OVERLOADED: Refusal = {
  code: 'overloaded',
  when: 'Requests have waited longer than a second for two seconds.',
  request: () => ({ path: '/v1/payments/packs' }),
}

/** Blocks the event loop of this process, which serves the request itself. */
export async function recordOverload(): Promise<ErrorExample> {
  const { path } = OVERLOADED.request({} as never)
  return exampleOf(OVERLOADED, { method: 'GET', path, headers: {} }, await answerOfOverloadedServer(path))
}
