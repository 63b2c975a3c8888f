import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import type { Asking } from '../http-client.ts'
import { hundredths } from '../hundredths.ts'
import { drawCharts } from '../line-chart.ts'
import { percentile } from '../percentile.ts'
import { BareBookServer, type BareMarket } from '../read/bare-book-server.ts'
import { bareSnapshotQuery } from '../read/bare-snapshot-query.ts'
import { type Latency, latenciesInTurn, type Throughput, throughputOf } from '../read/measure.ts'

/** Token snapshots of a page. */
const PAGES = [100, 500] as const
const BOOKS = 20
const AMPLE_CREDITS = 50_000_000
/** As the list reads ahead: twice the rows it wants, and some. */
const SLOTS_A_ROW = 2
const SLOTS_AT_LEAST = 64
const COMPARISONS = 50

interface Round {
  readonly live: { ours: Throughput; bare: Throughput }
  readonly pages: ReadonlyMap<number, { ours: Latency; bare: Latency }>
}

export const read = experiment({
  name: 'read',
  summary:
    'Compares the speed of the API with minimal servers that return the same data, on the same machine in the same run.',
  options: {
    markets: { description: 'number of simulated markets recorded during the run', default: 500, atLeast: 20 },
    rounds: { description: 'number of rounds that alternate between API and minimal server', default: 5, atLeast: 1 },
    seconds: { description: 'seconds of throughput per server and round', default: 5, atLeast: 1 },
    connections: { description: 'connections that request live books', default: 16, atLeast: 1 },
    samples: { description: 'timed responses per server and round', default: 60, atLeast: 1 },
    recorded: { description: 'slots of a market that must be stored before the start', default: 400, atLeast: 1 },
    accounts: { description: 'number of accounts, so that none is rate limited', default: 80, atLeast: 1 },
    liveRatio: { description: 'minimum throughput of live books, API / minimal server', default: 0.8, atLeast: 0 },
    snapshotRatio: {
      description: 'maximum time of a page of snapshots, API / minimal server',
      default: 1.3,
      atLeast: 0,
    },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
    plot: { description: 'SVG file for the charts', default: 'out/read.svg' },
  },
  async run(settings, progress) {
    const { markets, rounds, seconds, connections, samples, recorded, accounts, seed, plot } = settings
    const world = ['--markets', String(markets), '--seed', seed]
    await using service = await ApiService.start({ world, rows: recorded }, progress)
    progress('opening accounts')
    const keys = (await service.openAccounts(accounts, 'enterprise', AMPLE_CREDITS)).map(({ key }) => key)
    const ask = (path: string, index: number): Asking => ({
      port: service.port,
      path,
      headers: { 'x-api-key': keys[index % keys.length] ?? '' },
    })
    const bareMarkets = await openBooks(service, keys[0] ?? '')
    await using bare = await BareBookServer.start(
      service.recording.stack.variable('REDIS_URL'),
      bareMarkets,
      service.recording.folder,
    )
    const different = await differentBooks(service, bare, bareMarkets, ask)
    const past = await mostRecorded(service)
    const pages = await Promise.all(PAGES.map(async (limit) => ({ limit, ...(await pagesOf(service, past, limit)) })))
    // Every account in turn, each of them for every market.
    const ours = Array.from({ length: keys.length * BOOKS }, (_, index) => ({
      path: `/v1/markets/${bareMarkets[index % bareMarkets.length]?.id}/orderbook`,
      headers: { 'x-api-key': keys[index % keys.length] ?? '' },
    }))
    const theirs = bareMarkets.map(({ id }) => ({ path: `/${id}` }))

    progress('warming up')
    await throughputOf({ port: service.port, requests: ours, connections, seconds })
    await throughputOf({ port: bare.port, requests: theirs, connections, seconds })
    const done: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      const live = {
        ours: await throughputOf({ port: service.port, requests: ours, connections, seconds }),
        bare: await throughputOf({ port: bare.port, requests: theirs, connections, seconds }),
      }
      const timed = new Map<number, { ours: Latency; bare: Latency }>()
      for (const { limit, path, query } of pages) {
        const turns = { length: samples }
        const askings = {
          ours: Array.from(turns, (_, index) => ask(path, index + round)),
          bare: Array.from(turns, () => query),
        }
        timed.set(limit, await latenciesInTurn(service.client, askings))
      }
      done.push({ live, pages: timed })
    }
    progress('timing the other endpoints')
    const others: Record<string, Latency> = {}
    for (const [name, path] of otherPaths(past)) {
      const askings = Array.from({ length: samples }, (_, index) => ask(path, index))
      others[name] = (await latenciesInTurn(service.client, { ours: askings })).ours
    }
    await mkdir(dirname(plot), { recursive: true })
    await writeFile(plot, drawRounds(done))

    const liveRatios = done.map(({ live }) => live.ours.perSecond / live.bare.perSecond)
    const failed = done.flatMap(({ live, pages: timed }) => [
      live.ours.failed + live.bare.failed,
      ...[...timed.values()].map((each) => each.ours.failed + each.bare.failed),
    ])
    const otherFailures = Object.values(others).map((each) => each.failed)
    return {
      bounds: [
        bound('responses with a status other than 200', sum([...failed, ...otherFailures]), '<=', 0),
        bound('books that differ from the minimal server', different, '<=', 0),
        bound(
          'throughput of live books, API / minimal server',
          hundredths(percentile(liveRatios, 0.5)),
          '>=',
          settings.liveRatio,
        ),
        ...PAGES.map((limit) =>
          bound(
            `time of ${limit} snapshots, API / minimal server`,
            pageRatio(done, limit),
            '<=',
            settings.snapshotRatio,
          ),
        ),
      ],
      series: {
        rounds: done.map(({ live, pages: timed }) => ({ live, pages: Object.fromEntries(timed) })),
        others: [others],
        plot: [plot],
      },
      notes: notesOf(done, others),
    }
  },
})

/** Live markets that last longest, and the members of their replies other than books. */
async function openBooks(service: ApiService, key: string): Promise<BareMarket[]> {
  const found: BareMarket[] = []
  const refusals: string[] = []
  for (const { conditionId } of await service.liveMarkets(key)) {
    const path = `/v1/markets/${conditionId}/orderbook`
    const reply = await service.client.ask({ port: service.port, path, headers: { 'x-api-key': key } })
    if (reply.status !== 200) {
      refusals.push(`${reply.status} ${reply.body.toString()}`)
      continue
    }
    const { up, down, ...head } = JSON.parse(reply.body.toString()) as Record<'up' | 'down', { tokenId: string }>
    found.push({ id: conditionId, tokenIds: [up.tokenId, down.tokenId], head })
    if (found.length === BOOKS) break
  }
  if (found.length === 0)
    throw new Error(`None of ${refusals.length} live markets has a live book. The first answer: ${refusals[0]}`)
  return found
}

interface Books {
  readonly up: { readonly sequenceNumber: number }
  readonly down: unknown
}

/** Requests the same market from both servers and compares books of the same slot. */
async function differentBooks(
  service: ApiService,
  bare: BareBookServer,
  markets: readonly BareMarket[],
  ask: (path: string, index: number) => Asking,
): Promise<number> {
  let [different, compared] = [0, 0]
  for (let tries = 0; tries < COMPARISONS; tries++) {
    const id = markets[tries % markets.length]?.id ?? ''
    const replies = await Promise.all([
      service.client.ask(ask(`/v1/markets/${id}/orderbook`, tries)),
      service.client.ask({ port: bare.port, path: `/${id}` }),
    ])
    const [ours, theirs] = replies.map(({ body }) => JSON.parse(body.toString()) as Books)
    if (ours === undefined || theirs === undefined || ours.up.sequenceNumber !== theirs.up.sequenceNumber) continue
    compared++
    if (!isDeepStrictEqual([ours.up, ours.down], [theirs.up, theirs.down])) different++
  }
  return compared === 0 ? Number.NaN : different
}

interface Past {
  readonly marketId: string
  readonly intervalMs: number
  readonly fromMs: number
  readonly toMs: number
}

async function mostRecorded({ recording }: ApiService): Promise<Past> {
  const answer = await recording.clickhouse.query({
    query: `SELECT concat('0x', lower(hex(market_id))) AS id, any(toUnixTimestamp64Milli(slot_at)) AS at, any(slot) AS number,
        toUnixTimestamp64Milli(min(captured_at)) AS first, toUnixTimestamp64Milli(max(captured_at)) AS last
      FROM snapshots GROUP BY market_id ORDER BY count() DESC, id LIMIT 1`,
    format: 'JSONEachRow',
  })
  const [row] = await answer.json<{ id: string; at: string; number: string; first: string; last: string }>()
  if (row === undefined) throw new Error('nothing is recorded')
  const intervalMs = Number(row.at) / Number(row.number)
  return { marketId: row.id, intervalMs, fromMs: Number(row.first), toMs: Number(row.last) }
}

async function pagesOf(
  { recording }: ApiService,
  { marketId, intervalMs, fromMs, toMs }: Past,
  limit: number,
): Promise<{ path: string; query: Asking }> {
  const rows = Math.ceil((limit + 1) / 2)
  const fromSlot = Math.floor(fromMs / intervalMs)
  const toSlot = Math.min(fromSlot + rows * SLOTS_A_ROW + SLOTS_AT_LEAST - 1, Math.floor(toMs / intervalMs))
  const range = { marketId, intervalMs, fromSlot, toSlot, fromMs, toMs }
  const path = `/v1/markets/${marketId}/snapshots?from=${fromMs}&to=${toMs}&limit=${limit}`
  return { path, query: await bareSnapshotQuery(recording.stack, range, rows) }
}

function otherPaths({ marketId, fromMs, toMs }: Past): [string, string][] {
  const middle = Math.floor((fromMs + toMs) / 2)
  return [
    ['live list', '/v1/markets/live'],
    ['closest snapshot', `/api/snapshot?marketId=${marketId}&timestamp=${middle}`],
    ['summary', `/v1/markets/${marketId}/summary`],
    ['history list', '/v1/markets/history'],
    ['latest snapshots', '/api/snapshot/latest'],
  ]
}

function pageRatio(rounds: readonly Round[], limit: number): number {
  const ratios = rounds.map(({ pages }) => {
    const timed = pages.get(limit)
    return timed === undefined ? Number.NaN : timed.ours.p50Ms / timed.bare.p50Ms
  })
  return hundredths(percentile(ratios, 0.5))
}

function drawRounds(rounds: readonly Round[]): string {
  const pageLines = (limit: number, side: 'ours' | 'bare') =>
    rounds.map(({ pages }) => pages.get(limit)?.[side].p50Ms ?? Number.NaN)
  return drawCharts([
    {
      title: 'live books, by round',
      step: 'round',
      unit: 'answers per second',
      lines: [
        { name: 'ours', values: rounds.map(({ live }) => live.ours.perSecond) },
        { name: 'bare', values: rounds.map(({ live }) => live.bare.perSecond) },
      ],
    },
    ...PAGES.map((limit) => ({
      title: `${limit} snapshots, by round`,
      step: 'round' as const,
      unit: 'ms, p50',
      lines: [
        { name: 'ours', values: pageLines(limit, 'ours') },
        { name: 'bare', values: pageLines(limit, 'bare') },
      ],
    })),
  ])
}

function notesOf(rounds: readonly Round[], others: Readonly<Record<string, Latency>>): string[] {
  const middle = (values: readonly number[]): number => percentile(values, 0.5)
  const speeds = (side: 'ours' | 'bare') => middle(rounds.map(({ live }) => live[side].perSecond))
  const times = (limit: number, side: 'ours' | 'bare') =>
    middle(rounds.map(({ pages }) => pages.get(limit)?.[side].p50Ms ?? Number.NaN))
  return [
    `live book: API ${speeds('ours')}/s, minimal server ${speeds('bare')}/s`,
    ...PAGES.map(
      (limit) => `${limit} snapshots, p50: API ${times(limit, 'ours')} ms, minimal server ${times(limit, 'bare')} ms`,
    ),
    ...Object.entries(others).map(
      ([name, { p50Ms, p95Ms, bytes }]) => `${name}: p50 ${p50Ms} ms, p95 ${p95Ms} ms, ${bytes} bytes`,
    ),
  ]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
