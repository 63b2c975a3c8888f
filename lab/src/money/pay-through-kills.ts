import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, random } from '@bookreel/simulator/world/random'
import type { ApiService, LabAccount } from '../api-service.ts'
import type { Progress } from '../experiment.ts'
import { HttpClient } from '../http-client.ts'
import type { ListeningProcess } from '../listening-process.ts'

export interface KilledPayments {
  readonly kills: readonly { target: string; atMs: number; awayMs: number }[]
  /** Responses by status, including broken connections and retries. */
  readonly statuses: Readonly<Record<string, number>>
  /** Fewer than asked for when the time was over. */
  readonly begun: number
  readonly delivered: number
  /** Charged under an idempotency key for which the client never got a response. */
  readonly chargedUnanswered: number
  /** Served and never charged. */
  readonly answeredUncharged: number
  /** Ledger rows beyond one for each idempotency key, or of another price. */
  readonly doubled: number
  /** Accounts whose balance differs from the client's count. */
  readonly wrongBalances: number
  /** Accounts whose balance differs from the sum of their ledger rows. */
  readonly drifts: number
  readonly retries: number
  readonly replays: number
  readonly seconds: number
}

interface Payment {
  readonly account: LabAccount
  readonly name: string
}

interface Oracle {
  readonly statuses: Map<string, number>
  readonly delivered: Set<Payment>
  retries: number
  replays: number
}

export interface KilledPaymentsOptions {
  readonly charges: number
  /** Of PostgreSQL, and as many of an API process, spread evenly over the charges. */
  readonly kills: number
  /** No charge begins after it. */
  readonly minutes: number
  readonly accounts: number
  readonly concurrency: number
  readonly seed: string
  /** Credits for one response. */
  readonly price: number
}

const TRIES = 200
const GRANTED = 1_000_000
/** Share of requests that the client aborts. */
const IMPATIENCE = 0.02
const AWAY_MS = [100, 1_500] as const

/** Clients retry charges under the same idempotency key until they get a response, while the servers are killed. */
export async function payThroughKills(
  service: ApiService,
  apis: readonly ListeningProcess[],
  pathOf: (index: number) => string,
  options: KilledPaymentsOptions,
  progress: Progress,
): Promise<KilledPayments> {
  const { charges, concurrency, seed, price } = options
  const accounts = await service.openAccounts(options.accounts, 'enterprise', GRANTED)
  const payments = Array.from({ length: charges }, (_, index): Payment => {
    const account = accounts[index % accounts.length]
    if (account === undefined) throw new Error('no account was given')
    return { account, name: `${seed}-${index}` }
  })
  const oracle: Oracle = { statuses: new Map(), delivered: new Set(), retries: 0, replays: 0 }
  const fromMs = performance.now()
  const draw = random(seed, 'kills')
  const kills: (Kill & { atMs: number })[] = []
  let killing = Promise.resolve()
  const killWhenDue = (): void => {
    if (kills.length === 2 * options.kills) return
    if (oracle.delivered.size < (kills.length + 0.5) * (charges / (2 * options.kills))) return
    const kill = { ...chooseKill(apis, draw, kills.length), atMs: Math.round(performance.now() - fromMs) }
    kills.push(kill)
    killing = killing.then(() => killAndBringBack(service, kill))
  }
  using client = new HttpClient(concurrency)
  let next = 0
  const endMs = fromMs + options.minutes * 60_000
  await Promise.all(
    Array.from({ length: concurrency }, async (_, worker) => {
      const chance = random(seed, 'client', worker)
      for (let index = next; index < payments.length && performance.now() < endMs; index = next) {
        next++
        const payment = payments[index]
        if (payment !== undefined) await payUntilAnswered(client, apis, pathOf(index), payment, chance, oracle)
        killWhenDue()
        progress(`${oracle.delivered.size} of ${charges} paid and answered, ${oracle.retries} retries`)
      }
    }),
  )
  const seconds = (performance.now() - fromMs) / 1_000
  await killing
  return {
    kills: kills.map(({ target, atMs, awayMs }) => ({ target, atMs, awayMs })),
    statuses: Object.fromEntries(oracle.statuses),
    begun: next,
    delivered: oracle.delivered.size,
    retries: oracle.retries,
    replays: oracle.replays,
    seconds: Math.round(seconds),
    ...(await compare(service, accounts, payments.slice(0, next), oracle, price)),
  }
}

/** Gives up only on an error that a retry cannot fix. */
async function payUntilAnswered(
  client: HttpClient,
  apis: readonly ListeningProcess[],
  path: string,
  payment: Payment,
  draw: Random,
  oracle: Oracle,
): Promise<void> {
  const headers = { 'x-api-key': payment.account.key, 'idempotency-key': payment.name }
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) oracle.retries++
    const { port } = draw.pick(apis)
    const signal = draw.chance(IMPATIENCE) ? { signal: AbortSignal.timeout(draw.whole(1, 40)) } : {}
    const reply = await client.ask({ port, path, headers, timeoutMs: 10_000, ...signal }).catch(() => undefined)
    const status = String(reply?.status ?? 'no answer')
    oracle.statuses.set(status, (oracle.statuses.get(status) ?? 0) + 1)
    if (reply?.headers['x-idempotent-replay'] !== undefined) oracle.replays++
    if (reply?.status === 200) {
      oracle.delivered.add(payment)
      return
    }
    if (reply !== undefined && reply.status < 500 && reply.status !== 429) return
    await sleep(draw.whole(20, 400))
  }
}

interface Kill {
  readonly target: string
  readonly awayMs: number
  /** Undefined kills PostgreSQL. */
  readonly api: ListeningProcess | undefined
}

function chooseKill(apis: readonly ListeningProcess[], draw: Random, number: number): Kill {
  const api = number % 2 === 0 ? undefined : draw.pick(apis)
  const target = api === undefined ? 'postgres' : `api ${apis.indexOf(api)}`
  return { target, api, awayMs: draw.whole(...AWAY_MS) }
}

async function killAndBringBack({ recording, client }: ApiService, { api, awayMs }: Kill): Promise<void> {
  if (api === undefined) {
    const postgres = recording.stack.engine('postgres')
    await postgres.kill()
    await sleep(awayMs)
    await postgres.restart()
    return
  }
  await api.kill()
  await sleep(awayMs)
  await api.restart()
  await api.untilOpen(client)
}

/** Compares the client's records with the ledger. */
async function compare(
  { access }: ApiService,
  accounts: readonly LabAccount[],
  payments: readonly Payment[],
  { delivered }: Oracle,
  price: number,
) {
  const byAccount = Map.groupBy(payments, ({ account }) => account)
  let [chargedUnanswered, answeredUncharged, doubled, wrongBalances] = [0, 0, 0, 0]
  for (const account of accounts) {
    const rows = await access.database
      .selectFrom('ledger')
      .select(['idem', 'delta'])
      .where('account_id', '=', account.id)
      .where('delta', '<', 0)
      .execute()
    const counts = new Map<string, number>()
    for (const { idem, delta } of rows) {
      counts.set(idem, (counts.get(idem) ?? 0) + 1)
      if (Number(delta) !== -price) doubled++
    }
    const asked = byAccount.get(account) ?? []
    const names = new Set(asked.map(({ name }) => `client:${name}`))
    for (const [idem, count] of counts) if (count > 1 || !names.has(idem)) doubled++
    for (const payment of asked) {
      const isCharged = counts.has(`client:${payment.name}`)
      if (isCharged && !delivered.has(payment)) chargedUnanswered++
      if (!isCharged && delivered.has(payment)) answeredUncharged++
    }
    const expected = GRANTED - price * asked.filter((payment) => delivered.has(payment)).length
    if ((await access.ledger.spendable(account.id))?.balance !== expected) wrongBalances++
  }
  const drifts = (await access.ledger.drifts()).length
  return { chargedUnanswered, answeredUncharged, doubled, wrongBalances, drifts }
}
