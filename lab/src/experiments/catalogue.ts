import { setTimeout as sleep } from 'node:timers/promises'
import { issueKey } from '@bookreel/service/access/issue-key'
import { publishMarketUpdate } from '@bookreel/service/bus/market-updates'
import type { Market } from '@bookreel/service/domain/market'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { Markets } from '@bookreel/service/stores/markets/markets'
import { openBus } from '@bookreel/service/wiring/engines'
import { jetstream } from '@nats-io/jetstream'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { HttpClient } from '../http-client.ts'
import { hundredths } from '../hundredths.ts'
import { ListeningProcess } from '../listening-process.ts'
import { madeUpMarket } from '../made-up-market.ts'
import { PreparedEngines } from '../prepared-engines.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import { memoryMbOf } from '../process-memory.ts'
import { ServiceProcess } from '../service-process.ts'

/** Reading the first list and compiling code is part of the start, not of the idle cost. */
const SETTLES_FOR_MS = 5_000
const VISIBLE_WITHIN_MS = 60_000
const MARKETS_AT_ONCE = 5_000
const PAGE = 5_000
const PATIENT_MS = 60_000

interface Cost {
  readonly role: string
  readonly markets: number
  readonly startMs: number
  readonly memoryMb: number
  /** In % of a core. */
  readonly idleCpu: number
}

interface Changed {
  readonly tookMs: number
  /** Markets that the API lists in another place than PostgreSQL. */
  readonly differing: number
}

export const catalogue = experiment({
  name: 'catalogue',
  summary: 'Measures what a large catalogue costs an idle API and gateway, and how soon they know a change.',
  options: {
    markets: { description: 'markets in the catalogue, all of them inactive', default: 20_000, atLeast: 10 },
    seconds: { description: 'seconds for which the idle processes are measured', default: 60, atLeast: 1 },
    changes: {
      description: 'listings and as many resolutions that are published at the end',
      default: 200,
      atLeast: 1,
    },
    cpu: { description: 'most CPU that the markets may add to an idle process, in % of a core', default: 1 },
    memoryMb: { description: 'most memory that the markets may add to a process, in MB', default: 150 },
    visibleMs: { description: 'most milliseconds until the API shows all changes', default: 5_000 },
  },
  async run({ markets, seconds, changes, cpu, memoryMb, visibleMs }, progress) {
    progress('starting the engines')
    await using engines = await PreparedEngines.start()
    const database = openDatabase({ url: engines.config.DATABASE_URL, answerWithinMs: PATIENT_MS })
    await using _connections = { [Symbol.asyncDispose]: () => database.destroy() }
    const store = new Markets(database)
    const nowMs = Date.now()
    const listed = Array.from({ length: markets }, (_, number) => madeUpMarket('catalogue', number, nowMs + number))
    const before = await measure(engines, { markets: 0, seconds }, progress)
    for (let from = 0; from < markets; from += MARKETS_AT_ONCE) {
      const some = listed.slice(from, from + MARKETS_AT_ONCE)
      await store.saveListings(some.map((market) => ({ market, seenAtMs: nowMs })))
    }
    let changed: Changed | undefined
    const after = await measure(engines, { markets, seconds }, progress, async (api) => {
      changed = await change(engines, api, { store, ending: listed.slice(0, changes) }, progress)
    })
    const { tookMs, differing } = changed ?? { tookMs: Number.NaN, differing: Number.NaN }
    const added = (role: string, figure: 'memoryMb' | 'idleCpu'): number => {
      const of = (costs: readonly Cost[]): number => costs.find((each) => each.role === role)?.[figure] ?? Number.NaN
      return hundredths(of(after) - of(before))
    }
    return {
      bounds: [
        bound('CPU that the markets add to an idle API', added('api', 'idleCpu'), '<=', cpu, '% of a core'),
        bound('CPU that the markets add to an idle gateway', added('gateway', 'idleCpu'), '<=', cpu, '% of a core'),
        bound('memory that the markets add to an API', added('api', 'memoryMb'), '<=', memoryMb, 'MB'),
        bound('memory that the markets add to a gateway', added('gateway', 'memoryMb'), '<=', memoryMb, 'MB'),
        bound('time until the API shows all changes', tookMs, '<=', visibleMs, 'ms'),
        bound('markets that the API lists differently from PostgreSQL', differing, '<=', 0),
      ],
      series: { costs: [...before, ...after] },
      notes: [...before, ...after].map(
        (cost) =>
          `${cost.role.padEnd(8)} ${String(cost.markets).padStart(6)} markets: start ${cost.startMs} ms, ${cost.memoryMb} MB, idle CPU ${cost.idleCpu} % of a core`,
      ),
    }
  },
})

/** Both roles at once, because most of the time is waiting. */
async function measure(
  { environment, folder }: PreparedEngines,
  { markets, seconds }: { readonly markets: number; readonly seconds: number },
  progress: Progress,
  then: (api: ListeningProcess) => Promise<void> = async () => {},
): Promise<Cost[]> {
  progress(`API and gateway with ${markets} markets`)
  using client = new HttpClient(2)
  await using processes = new AsyncDisposableStack()
  const started = await Promise.all(
    (['api', 'gateway'] as const).map(async (role) => {
      const startedMs = performance.now()
      const process = processes.use(await ListeningProcess.start(role, environment, folder))
      await process.untilOpen(client)
      return { role, process, startMs: Math.round(performance.now() - startedMs) }
    }),
  )
  await sleep(Math.min(SETTLES_FOR_MS, seconds * 1_000))
  const sinceMs = performance.now()
  const usedS = started.map(({ process }) => cpuSecondsOf(process.pid))
  await sleep(seconds * 1_000)
  const tookMs = performance.now() - sinceMs
  const costs = started.map(({ role, process, startMs }, index) => {
    const idleCpu = hundredths((100_000 * (cpuSecondsOf(process.pid) - (usedS[index] ?? 0))) / tookMs)
    return { role, markets, startMs, memoryMb: memoryMbOf(process.pid), idleCpu }
  })
  for (const { role, process } of started) if (role === 'api') await then(process)
  return costs
}

/** Publishes new markets and resolutions of known ones, and compares what the API lists with what is stored. */
async function change(
  { environment, folder, config, access }: PreparedEngines,
  api: ListeningProcess,
  { store, ending }: { readonly store: Markets; readonly ending: readonly Market[] },
  progress: Progress,
): Promise<Changed> {
  progress('publishing changes')
  using client = new HttpClient(1)
  await using _catalogue = await ServiceProcess.start('catalogue', environment, folder)
  const { id: accountId } = await access.accounts.create('lab')
  await access.accounts.setTier(accountId, { tier: 'enterprise', monthlyCredits: 1_000_000 })
  const { key } = await issueKey(access, { accountId, label: 'lab' })
  const bus = await openBus(config, 'lab')
  await using _bus = { [Symbol.asyncDispose]: () => bus.close() }
  const stream = jetstream(bus)
  const shown = () => shownMarkets(client, api.port, key)
  const publish = (market: Market) => publishMarketUpdate(stream, { kind: 'listed', venue: market.venue, market })
  const untilShown = async (isDone: (ids: ReadonlySet<string>) => boolean): Promise<number> => {
    const sinceMs = performance.now()
    while (performance.now() - sinceMs < VISIBLE_WITHIN_MS) {
      if (isDone(new Set(await shown()))) return Math.round(performance.now() - sinceMs)
      await sleep(50)
    }
    return Number.NaN
  }
  const nowMs = Date.now()
  const first = madeUpMarket('first', 0, nowMs)
  await publish(first)
  await untilShown((ids) => ids.has(first.id))
  const added = ending.map((_, number) => madeUpMarket('new', number, nowMs + number))
  await Promise.all([
    ...added.map(publish),
    ...ending.map(({ id: marketId, venue }) =>
      publishMarketUpdate(stream, {
        kind: 'resolved',
        venue,
        resolution: { marketId, winner: 0, resolvedAtMs: nowMs },
      }),
    ),
  ])
  const tookMs = await untilShown(
    (ids) => added.every(({ id }) => ids.has(id)) && !ending.some(({ id }) => ids.has(id)),
  )
  const theirs = (await store.list({}, Date.now())).map(({ id }) => id)
  const ours = await shown()
  return { tookMs, differing: Math.max(theirs.length, ours.length) - theirs.filter((id, at) => ours[at] === id).length }
}

async function shownMarkets(client: HttpClient, port: number, key: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const path = `/v1/markets/live?limit=${PAGE}&offset=${ids.length}`
    const { body, status } = await client.ask({ port, path, headers: { 'x-api-key': key } })
    if (status !== 200) throw new Error(`the API answered ${status}: ${body.toString()}`)
    const page = JSON.parse(body.toString()) as { conditionId: string }[]
    ids.push(...page.map(({ conditionId }) => conditionId))
    if (page.length < PAGE) return ids
  }
}
