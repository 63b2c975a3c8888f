import { AsyncLocalStorage } from 'node:async_hooks'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import { archive, list, putInRedis, storeFacts, storeSettlements } from '@bookreel/testbed/service/stored-markets'
import { type Answered, TestService } from '@bookreel/testbed/service/test-service'
import { processorSettings } from '@bookreel/testbed/venue-settings'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import type { Market } from '../../../src/domain/market.ts'
import { Corrections } from '../../../src/stores/books/corrections.ts'
import { CoverageCounts } from '../../../src/stores/books/coverage-counts.ts'
import { pastMarketWrites } from '../../../src/stores/markets/past-market-writes.ts'
import { openClickHouse } from '../../../src/wiring/engines.ts'
import { countDueDays } from '../../../src/workers/count-coverage.ts'
import { keepPastMarkets } from '../../../src/workers/keep-past-markets.ts'
import { breachesOf, breachesOfError, type PublishedDocument } from '../../http/published-schema.ts'
import { archivePerps } from '../../http/snapshots-scene.ts'
import type { Caller, ContractScene, Request } from '../clause.ts'
import { endpointOf } from '../endpoint-of.ts'
import { Callers } from './callers.ts'
import { storeHoleyMarket } from './holey-market.ts'
import { madeMarkets, namesOf } from './made-markets.ts'
import { storeSample } from './made-sample.ts'
import { storePerpHour } from './perp-hour.ts'
import { archiveTape } from './perp-rows.ts'
import { storeSignedFile } from './signed-file.ts'

const PROCESSOR = {
  seed: 'pay',
  startMs: WORLD_NOW_MS,
  size: { hot: 0, medium: 0, cold: 0 },
  speed: 0,
  port: 0,
  faults: [],
}

const HOUR_MS = 3_600_000

type Names = Readonly<Record<string, string>>

interface Parts {
  readonly service: TestService
  /** Of payments; its venues have no markets. */
  readonly processor: Simulator
  readonly clock: AsyncLocalStorage<number>
  readonly document: PublishedDocument
  readonly names: Names
}

/** The running service with markets in every state, whose clock stands still, and all callers. */
export class Scene implements ContractScene, AsyncDisposable {
  readonly service: TestService
  readonly nowMs: number
  /** Methods and published paths of the requests that were answered with success. */
  readonly served = new Set<string>()
  readonly #parts: Parts
  readonly #callers: Callers
  #asked = 0

  private constructor(parts: Parts) {
    this.service = parts.service
    this.nowMs = parts.service.world.nowMs
    this.#parts = parts
    this.#callers = new Callers(parts.service)
  }

  static async open(): Promise<Scene> {
    const clock = new AsyncLocalStorage<number>()
    const processor = await startSimulator(PROCESSOR)
    const service = await TestService.start({
      world: 'frozen',
      nowMs: () => clock.getStore() ?? WORLD_NOW_MS,
      identity: true,
      settings: { CAPTURE_INTERVAL_MS_SOCIAL: '100', ...processorSettings(processor.addresses) },
    })
    try {
      const { nowMs, hot: live } = service.world
      const made = madeMarkets(nowMs)
      await list(service, made.listed, made.resolutions)
      await archive(service, made.rows)
      await putInRedis(service, made.newest)
      await storeFacts(service, made.facts)
      await storeSettlements(service, made.settlements)
      const holey = await storeHoleyMarket(service, nowMs)
      await archivePerps(service, made.perps)
      await countCoverage(service, nowMs)
      await archiveTape(service, made.perps)
      await listPastMarkets(service, nowMs)
      await storeSample(service, made.closed.id, nowMs)
      const perpHour = await storePerpHour(service, nowMs)
      const file = await storeSignedFile(service)
      await storeCorrections(service, made.old)
      const names = { ...namesOf(made, live, service.world.longLived('sports'), nowMs), ...holey, ...perpHour, ...file }
      const { body: document } = await service.ask('/openapi.json')
      return new Scene({ service, processor, clock, document, names })
    } catch (error) {
      await service[Symbol.asyncDispose]()
      await processor.stop()
      throw error
    }
  }

  fill(template: string): string {
    return template.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => encodeURIComponent(this.value(name)))
  }

  value(name: string): string {
    const value = this.#parts.names[name]
    if (value === undefined) throw new Error(`the scene has no ${name}`)
    return value
  }

  async ask(as: Caller, template: string, request: Request = {}): Promise<Answered> {
    if (as !== 'rate used up') return this.#send(as, template, request)
    return this.#callers.untilRefused(() => this.#send(as, template, request))
  }

  /** Differences between a response and the published OpenAPI document. */
  breaches(method: string, request: string, { status, headers, body, text }: Answered): string[] {
    const { document } = this.#parts
    const path = endpointOf(method, request)?.path
    if (path === undefined || status === 405) return status < 400 ? [] : breachesOfError(document, body)
    return breachesOf(document, method, path, status, headers['content-type'] ?? '', body ?? text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.#parts.processor.stop()
  }

  async #send(as: Caller, template: string, { method = 'GET', headers, payload, ...at }: Request): Promise<Answered> {
    const { clock } = this.#parts
    const options = {
      method,
      url: this.fill(template),
      headers: { ...(await this.#callers.headersOf(as)), ...headers },
      ...(payload !== undefined && { payload }),
      // Too many failed authentications from one address are rate limited.
      remoteAddress: `10.1.${Math.floor(this.#asked / 250)}.${this.#asked++ % 250}`,
    }
    // The request starts when the promise is awaited, so the clock is set around the await.
    const answer = await clock.run(at.atMs ?? this.nowMs + (at.aheadMs ?? 0), async () => {
      const injected = await this.service.server.inject(options)
      return injected
    })
    if (answer.statusCode < 300) this.served.add(`${method} ${endpointOf(method, template)?.path}`)
    const type = String(answer.headers['content-type'] ?? '')
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text: answer.body,
      body: type.startsWith('application/json') && answer.body !== '' ? JSON.parse(answer.body) : undefined,
    }
  }
}

function failed(error: unknown): void {
  throw error
}

/** As the role catalogue does. */
async function listPastMarkets({ config }: TestService, nowMs: number): Promise<void> {
  const client = openClickHouse(config)
  await keepPastMarkets({ table: pastMarketWrites(client), now: () => nowMs, failed }, new AbortController().signal)
  await client.close()
}

/** As the role catalogue does. */
async function countCoverage({ stores, access }: TestService, nowMs: number): Promise<void> {
  const counts = new CoverageCounts(access.database)
  const work = { record: stores.recordedHours, counts, now: () => nowMs, failed }
  await countDueDays(work, new AbortController().signal)
}

/** Two hours of the market were corrected. */
async function storeCorrections({ access }: TestService, { id: marketId, endsAtMs }: Market): Promise<void> {
  const corrections = new Corrections(access.database)
  const lastMs = Math.floor((endsAtMs - 1) / HOUR_MS) * HOUR_MS
  for (const hourMs of [lastMs - HOUR_MS, lastMs]) {
    const hour = { marketId, hourMs }
    await corrections.finish(hour, await corrections.begin(hour, 'contract', { snapshots: 1, gaps: 0, trades: 0 }))
  }
}
