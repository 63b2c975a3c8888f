import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { clearOfWindowEnd } from '@bookreel/testbed/clear-of-window-end'
import { archive, list, putInRedis, storeFacts, storeSettlements } from '@bookreel/testbed/service/stored-markets'
import { type Answered, PUBLIC_URL, TestService } from '@bookreel/testbed/service/test-service'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { vi } from 'vitest'
import { makeKey } from '../../src/access/key-format.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import type { Market } from '../../src/domain/market.ts'
import { TIER_LIMITS, type Tier } from '../../src/domain/tier.ts'
import { CoverageCounts } from '../../src/stores/books/coverage-counts.ts'
import type { StoredMarket } from '../../src/stores/markets/postgres-market-rows.ts'
import { countDueDays } from '../../src/workers/count-coverage.ts'
import { HeadlessBrowser } from '../account/headless-browser.ts'
import { breachesOf, breachesOfError, type PublishedDocument } from '../http/published-schema.ts'
import { endpointOf } from './claim.ts'
import type { Caller, ClaimScene, Request, SignedInUser } from './claim-scene.ts'
import { storeHoleyMarket } from './holey-market.ts'
import { madeMarkets, namesOf } from './made-markets.ts'
import { storeSample } from './made-sample.ts'
import { storePerpHour } from './perp-hour.ts'
import { archivePerps, archiveTape } from './perp-rows.ts'
import { storeSignedFile } from './signed-file.ts'

/** A key is used for fewer requests than its rate limit, so that no row is refused because of earlier ones. */
const SHARE_OF_RATE = 0.8
const MOST_TRIES = 5

/** The running service with markets in every state, and all callers. */
export class ConformanceScene implements ClaimScene, AsyncDisposable {
  readonly service: TestService
  readonly document: PublishedDocument
  readonly live: StoredMarket
  /** Methods and published paths of the requests that were answered with success. */
  readonly served = new Set<string>()
  readonly #names: Readonly<Record<string, () => string>>
  readonly #keys = new Map<Caller, { key: string; uses: number }>()
  readonly #members = new Map<SignedInUser, Promise<HeadlessBrowser>>()
  readonly #clock = new AsyncLocalStorage<number>()
  #clocked: Promise<FastifyInstance> | undefined
  #asked = 0

  private constructor(
    service: TestService,
    document: PublishedDocument,
    live: StoredMarket,
    names: Readonly<Record<string, () => string>>,
  ) {
    this.service = service
    this.document = document
    this.live = live
    this.#names = names
  }

  static async open(): Promise<ConformanceScene> {
    const service = await TestService.start({
      record: true,
      identity: true,
      settings: { CAPTURE_INTERVAL_MS_SOCIAL: '100' },
    })
    try {
      const made = madeMarkets(Date.now())
      await list(service, made.listed, made.resolutions)
      await archive(service, made.rows)
      await putInRedis(service, made.newest)
      await storeFacts(service, made.facts)
      await storeSettlements(service, made.settlements)
      const holey = await storeHoleyMarket(service, Date.now())
      await archivePerps(service.config, made.perps)
      await countCoverage(service)
      await archiveTape(service.config, made.perps)
      await storeSample(service, made.closed.id)
      const perpHour = await storePerpHour(service, Date.now())
      const file = await storeSignedFile(service)
      const { markets } = service.simulator.world
      const [live, other] = await Promise.all([
        // Windows end within the hour, perhaps within the next minute.
        longestLived(service, ({ id, timeframe }) => timeframe === 'hit-price' && markets.get(id)?.activity === 'hot'),
        longestLived(service, ({ category }) => category !== 'crypto'),
      ])
      await clearOfWindowEnd(60_000)
      const { body } = await service.ask('/openapi.json')
      return new ConformanceScene(service, body, live, {
        ...namesOf(made, live, other),
        ...holey,
        ...perpHour,
        ...file,
      })
    } catch (error) {
      await service[Symbol.asyncDispose]()
      throw error
    }
  }

  fill(template: string): string {
    return template.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => encodeURIComponent(this.value(name)))
  }

  value(name: string): string {
    const value = this.#names[name]
    if (value === undefined) throw new Error(`the scene has no ${name}`)
    return value()
  }

  async ask(as: Caller, template: string, request: Request = {}): Promise<Answered> {
    const isUp = (body: Answered['body']): boolean =>
      !['store_unavailable', 'overloaded'].includes(body?.error) && body?.status !== 'down'
    const isWanted = ({ status, body }: Answered): boolean =>
      as === 'rate used up' ? status === 429 : status !== 503 && isUp(body)
    for (let tries = 1; ; tries++) {
      if (as === 'rate used up') await this.#useUpRate()
      const answer = await this.#send(as, template, request)
      if (isWanted(answer) || tries === MOST_TRIES) return answer
      // On a busy machine an engine may exceed the timeout of the service, or the service may be overloaded.
      if (as !== 'rate used up') await sleep(1_000)
    }
  }

  /** Differences between a response and the published OpenAPI document. */
  breaches(method: string, endpoint: string | undefined, { status, headers, body, text }: Answered): string[] {
    if (endpoint === undefined || status === 405) return status < 400 ? [] : breachesOfError(this.document, body)
    return breachesOf(this.document, method, endpoint, status, headers['content-type'] ?? '', body ?? text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#clocked)?.close()
    await this.service[Symbol.asyncDispose]()
  }

  async #send(
    as: Caller,
    template: string,
    { method = 'GET', headers, payload, ...clock }: Request,
  ): Promise<Answered> {
    const own = isMember(as) ? { cookie: (await this.#memberOf(as)).cookieHeader } : await this.#keyHeader(as)
    const atMs = this.#timeOf(clock)
    const server = atMs === undefined ? this.service.server : await this.#clockedServer()
    const options: InjectOptions = {
      method,
      url: this.fill(template),
      headers: { ...own, ...headers },
      ...(payload !== undefined && { payload }),
      // Too many failed authentications from one address are rate limited.
      remoteAddress: `10.1.${Math.floor(this.#asked / 250)}.${this.#asked++ % 250}`,
    }
    // The request starts when the promise is awaited, so the clock is set around the await.
    const inject = async () => {
      const injected = await server.inject(options)
      return injected
    }
    const answer = await (atMs === undefined ? inject() : this.#clock.run(atMs, inject))
    if (answer.statusCode < 300) this.served.add(`${method} ${endpointOf(method, template)}`)
    const type = String(answer.headers['content-type'] ?? '')
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text: answer.body,
      body: type.startsWith('application/json') && answer.body !== '' ? JSON.parse(answer.body) : undefined,
    }
  }

  #timeOf({ aheadMs, at, atMs }: Request): number | undefined {
    if (at !== undefined) return Number(this.value(at))
    return aheadMs === undefined ? atMs : Date.now() + aheadMs
  }

  #memberOf(as: SignedInUser): Promise<HeadlessBrowser> {
    const known = this.#members.get(as) ?? this.#signIn(as)
    this.#members.set(as, known)
    return known
  }

  async #signIn(as: SignedInUser): Promise<HeadlessBrowser> {
    const { server, access } = this.service
    const browser = new HeadlessBrowser(PUBLIC_URL, async (url, { method, headers, body }) => {
      const answer = await server.inject({ url, method, headers, ...(body !== undefined && { payload: body }) })
      const received = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, String(each)]),
      )
      return { status: answer.statusCode, headers: new Headers(received), text: answer.body }
    })
    await browser.signIn(`${as.replace(' ', '.')}@example.test`)
    if (as === 'member') return browser
    const { accountId } = JSON.parse((await browser.send('/auth/session')).text)
    await access.accounts.setTier(accountId, { tier: as === 'key maker' ? 'pro' : 'scale', monthlyCredits: 0 })
    return browser
  }

  async #keyHeader(as: Exclude<Caller, SignedInUser>): Promise<Record<string, string>> {
    if (as === 'nobody') return {}
    const known = this.#keys.get(as)
    const tier = tierOf(as)
    const isFresh = known !== undefined && (as === 'rate used up' || known.uses < TIER_LIMITS[tier].rpm * SHARE_OF_RATE)
    const kept = isFresh ? known : { key: await this.#newKey(as, tier), uses: 0 }
    kept.uses++
    this.#keys.set(as, kept)
    return { 'x-api-key': kept.key }
  }

  async #newKey(as: Caller, tier: Tier): Promise<string> {
    if (as === 'malformed key') return `${makeKey().slice(0, -1)}_`
    const key = await this.service.keyOf(tier, { fresh: true })
    const { access } = this.service
    if (as !== 'revoked key' && as !== 'no credits') return key
    const caller = await access.accessControl.authenticate(key, '10.2.0.1')
    if (as === 'revoked key') await revokeKey({ ...access, onTrouble: () => {} }, caller.keyId)
    else {
      const { balance: credits } = await access.accessControl.spendable(caller)
      await access.accessControl.charge(caller, { credits, endpoint: 'test', fingerprint: 'all', requestId: 'all' })
    }
    return key
  }

  async #useUpRate(): Promise<void> {
    const { rpm } = TIER_LIMITS[tierOf('rate used up')]
    for (let request = 0; request <= 2 * rpm; request++) {
      if ((await this.#send('rate used up', '/v1/categories', {})).status === 429) return
    }
  }

  /** A server whose clock shows the time that the request gives. */
  #clockedServer(): Promise<FastifyInstance> {
    this.#clocked ??= this.service.newServer({ pipeline: { nowMs: () => this.#clock.getStore() ?? Date.now() } })
    return this.#clocked
  }
}

function isMember(as: Caller): as is SignedInUser {
  return as === 'member' || as === 'key maker' || as === 'scale member'
}

function tierOf(as: Caller): Tier {
  switch (as) {
    case 'free':
    case 'pro':
    case 'scale':
    case 'enterprise':
      return as
    case 'own account':
      return 'enterprise'
    case 'rate used up':
      return 'free'
    default:
      return 'pro'
  }
}

/** A recorded market that ends long after the last row. */
async function longestLived(service: TestService, isWanted: (market: Market) => boolean): Promise<StoredMarket> {
  const { catalogue, marketDays, newestRows } = service.stores
  return vi.waitUntil(
    async () => {
      const markets = catalogue.list({ statuses: ['live'] }, Date.now()).filter(isWanted)
      for (const market of markets.toReversed()) {
        const rows = (await marketDays.days(market.id)).reduce((sum, { rowCount }) => sum + rowCount, 0)
        if (rows >= 4 && (await newestRows.read(market.id)).length > 0) return market
      }
      return undefined
    },
    { timeout: 120_000, interval: 500 },
  )
}

/** As the role catalogue does. */
async function countCoverage({ stores, access }: TestService): Promise<void> {
  const failed = (error: unknown): void => {
    throw error
  }
  const counts = new CoverageCounts(access.database)
  const work = { record: stores.recordedHours, counts, now: () => Date.now(), failed }
  await countDueDays(work, new AbortController().signal)
}
