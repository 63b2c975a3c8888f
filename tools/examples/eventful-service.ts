import { setTimeout as sleep } from 'node:timers/promises'
import { issueKey } from '@bookreel/service/access/issue-key'
import { readConfig } from '@bookreel/service/config'
import { DAY_MS, fileIdOf } from '@bookreel/service/domain/day-file'
import { HOUR_MS } from '@bookreel/service/domain/finished-hour'
import type { Scope } from '@bookreel/service/domain/scope'
import type { Tier } from '@bookreel/service/domain/tier'
import { openAccess } from '@bookreel/service/wiring/open-access'
import { until } from '@bookreel/testbed/until'
import type { SimulatedService } from '../simulated-service.ts'
import type { ExampleValues } from './example-requests.ts'
import { replayMinute } from './replay-minute.ts'
import { send } from './send.ts'
import { jsonOf, SignedInUser } from './sender.ts'

type Json = Record<string, unknown>

/** What happened in the service before the examples are recorded. */
export interface EventfulService {
  readonly service: SimulatedService
  /** Signed in, on the pro tier after a paid invoice, with one key. */
  readonly user: SignedInUser
  readonly userKey: string
  readonly values: Partial<ExampleValues> &
    Pick<ExampleValues, 'MARKET' | 'PAST_MARKET' | 'HOUR' | 'GAP' | 'FILE' | 'INVOICE'>
}

/** Recording takes this long, and the window must not end meanwhile. */
const TAKES_MS = 150_000
const waiting = { withinMs: 180_000, everyMs: 1_000 }
const CREDITS = 1_000
const PRO_PACK = 'pro_monthly'

/** Buys a plan, uses credits and orders faults of the venue, so that answers show charges and gaps. */
export async function makeEventful(
  service: SimulatedService,
  onProgress: (line: string) => void,
): Promise<EventfulService> {
  const leftMs = HOUR_MS - (Date.now() % HOUR_MS)
  if (leftMs < TAKES_MS) {
    onProgress('waiting for the next hour, because the current window ends soon')
    await sleep(leftMs + 60_000)
  }
  onProgress('buying a plan')
  const user = await SignedInUser.signIn(service.address, 'ada@example.test')
  const invoiceId = await payFor(service, user, PRO_PACK)
  const { key } = (await user.post('/v1/api-keys', { label: 'research' })) as { key: string }
  const values = { ...(await marketsOf(service, key)), INVOICE: invoiceId }
  onProgress('making gaps')
  await makeGaps(service, values.MARKET)
  onProgress('using credits')
  await useCredits(service, key, values)
  return { service, user, userKey: key, values }
}

/** An account that an operator created, with one key. */
export async function newKey(
  service: SimulatedService,
  tier: Tier,
  { scopes, creditLimit }: { scopes?: readonly Scope[]; creditLimit?: number } = {},
): Promise<string> {
  return withAccess(service, async (access) => {
    const { id: accountId } = await access.accounts.create('example')
    await access.accounts.setTier(accountId, { tier, monthlyCredits: 0 })
    await access.ledger.grant({ accountId, credits: CREDITS, kind: 'grant', idem: 'example' })
    const limits = { ...(scopes && { scopes }), ...(creditLimit !== undefined && { creditLimit }) }
    return (await issueKey(access, { accountId, label: 'example', ...limits })).key
  })
}

export async function withAccess<T>(
  { environment }: SimulatedService,
  work: (access: ReturnType<typeof openAccess>) => Promise<T>,
): Promise<T> {
  const access = openAccess(readConfig(environment), () => {})
  try {
    return await work(access)
  } finally {
    await access.close()
  }
}

/** Sends a command to the simulator; the path is below its admin address. */
export async function orderOf(
  { simulatorAdmin }: SimulatedService,
  path: string,
  body: Json,
  method: 'POST' | 'DELETE' = 'POST',
): Promise<Json> {
  const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(`${simulatorAdmin}${path}`, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`The simulator answered ${answer.status} to ${path}: ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Json)
}

async function payFor(service: SimulatedService, user: SignedInUser, pack: string): Promise<string> {
  const invoice = (await user.post('/v1/payments/create-invoice', { pack })) as {
    invoiceId: string
    invoiceUrl: string
  }
  await orderOf(service, `/payments/invoices/${invoice.invoiceUrl.split('/').at(-1)}`, { act: 'pay' })
  const isPaid = async (): Promise<boolean> => {
    const { status } = (await user.get(`/v1/payments/invoices/${invoice.invoiceId}`)) as { status: string }
    return status === 'paid'
  }
  await until('the invoice is paid', isPaid, waiting)
  return invoice.invoiceId
}

async function marketsOf({ address, pastHour }: SimulatedService, key: string) {
  const ask = (path: string): Promise<unknown> =>
    jsonOf(address, { method: 'GET', path, headers: { 'X-API-Key': key } })
  const [open] = (await ask('/v1/markets/live?crypto=BTC&timeframe=1h&limit=1')) as { conditionId: string }[]
  if (open === undefined || pastHour === undefined) throw new Error('no one-hour Bitcoin window is open or stored')
  const stored = await pastHour.stored
  if (stored === undefined) throw new Error('the past hour could not be stored; see past-hour.log')
  const past = (await ask(`/v1/markets/by-slug/${stored.slug}`)) as { market_id: string }
  const { gaps } = (await ask(`/v1/markets/${past.market_id}/gaps`)) as { gaps: { from: string }[] }
  const { events } = (await ask('/v1/events?limit=500')) as { events: { event: string; markets: number }[] }
  const { samples } = (await ask('/v1/samples')) as { samples: { id: string }[] }
  const [largest] = events.toSorted((one, other) => other.markets - one.markets)
  return {
    MARKET: open.conditionId,
    PAST_MARKET: past.market_id,
    EVENT: largest?.event ?? '',
    SAMPLE: samples[0]?.id ?? '',
    HOUR: new Date(pastHour.hourMs).toISOString().replace('.000Z', 'Z'),
    GAP: gaps[0]?.from ?? '',
    FILE: fileIdOf('polymarket-btc-5m', Math.floor(pastHour.hourMs / DAY_MS) * DAY_MS, 1),
  }
}

/** Lost frames first, then a lost connection; each fault ends before the next. */
async function makeGaps(service: SimulatedService, market: string): Promise<void> {
  const key = service.keys.enterprise
  const causes = async (): Promise<string[]> => {
    const headers = { 'X-API-Key': key }
    const report = await jsonOf(service.address, { method: 'GET', path: `/v1/markets/${market}/gaps`, headers })
    return (report as { gaps: { cause: string }[] }).gaps.map(({ cause }) => cause)
  }
  const fault = await orderOf(service, '/faults', { name: 'drop', rate: 0.5, target: { market } })
  await until('a gap of lost frames', async () => (await causes()).includes('hash_mismatch'), waiting)
  await orderOf(service, `/faults/${String(fault.id)}`, {}, 'DELETE')
  await untilBook(service, key, market)
  await orderOf(service, '/faults', { name: 'disconnect', target: { feed: 'polymarket' } })
  await until('a gap of the lost connection', async () => (await causes()).includes('disconnected'), waiting)
  await untilBook(service, key, market)
}

async function untilBook({ address }: SimulatedService, key: string, market: string): Promise<void> {
  const isCurrent = async (): Promise<boolean> => {
    const request = { method: 'GET', path: `/v1/markets/${market}/depth`, headers: { 'X-API-Key': key } } as const
    const { stale } = (await jsonOf(address, request)) as { stale: boolean }
    return !stale
  }
  await until('a proved book', isCurrent, waiting)
}

async function useCredits(service: SimulatedService, key: string, values: EventfulService['values']): Promise<void> {
  const { address } = service
  const headers = { 'X-API-Key': key }
  for (let count = 0; count < 3; count++) {
    await jsonOf(address, { method: 'GET', path: `/v1/markets/${values.MARKET}/snapshots?limit=2`, headers })
  }
  await send(address, { method: 'GET', path: `/v1/markets/${values.MARKET}/snapshots?limit=501`, headers })
  await replayMinute(service, key, { market: values.PAST_MARKET, fromMs: Date.parse(values.HOUR) })
  const isCounted = async (): Promise<boolean> => {
    const { usage } = (await jsonOf(address, { method: 'GET', path: '/v1/usage', headers })) as {
      usage: { endpoint: string; calls: number; credits: number; refused: Record<string, number> }[]
    }
    const isCharged = (name: string): boolean => usage.some(({ endpoint, credits }) => endpoint === name && credits > 0)
    const isRefusalCounted = usage.some(
      ({ endpoint, refused }) => endpoint === 'list_snapshots' && Object.keys(refused).length > 0,
    )
    return (
      isCharged('list_snapshots') &&
      isCharged('stream_replay') &&
      isRefusalCounted &&
      usage.some(({ calls }) => calls > 2)
    )
  }
  await until('calls and credits of the usage', isCounted, waiting)
}
