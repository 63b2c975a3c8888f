import { setTimeout as sleep } from 'node:timers/promises'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { Markets } from '@bookreel/service/stores/markets/markets'
import type { ApiService, LabAccount } from '../api-service.ts'
import type { Progress } from '../experiment.ts'
import { Readers } from '../fanout/readers.ts'
import { fillHour } from '../fill-hour.ts'
import type { ListeningProcess } from '../listening-process.ts'
import { madeUpMarket } from '../made-up-market.ts'
import { captureIntervalOf } from '../stream/capture-interval.ts'
import { askStream, openStream, streamUrl, untilSaid } from '../stream/record-live.ts'
import { cpuAbove, cpuOfAll } from './cpu-of-all.ts'
import { pidsOf, type RecordedLoad } from './recorded-load.ts'

/** CPU seconds and bytes of one unit. */
export interface Cost {
  readonly cpuS: number
  readonly bytes: number
  /** How many units were measured. */
  readonly count: number
}

export type ServingCosts = Readonly<
  Record<'liveBook' | 'historyPage' | 'streamFrame' | 'replayedRow' | 'charge' | 'exportHour', Cost>
>

export interface ServingScene {
  readonly service: ApiService
  readonly gateway: ListeningProcess
  readonly account: LabAccount
  /** What the same processes use without requests. */
  readonly usual: RecordedLoad
  readonly requests: number
  readonly sockets: number
  readonly seconds: number
  /** Recorded slots of the exported hour. */
  readonly slots: number
}

const HOUR_MS = 3_600_000
const PAGE = 100
const DEPTH = 10
const MARKETS_ASKED = 100
const MARKETS_A_SOCKET = 10
const FOUND_WITHIN_S = 60
const REPLAYED_MS = 60_000
const REPLAYED_WITHIN_MS = 120_000

export async function servingCosts(scene: ServingScene, progress: Progress): Promise<ServingCosts> {
  const markets = await marketsWithBooks(scene)
  const nowMs = Date.now()
  progress('live books')
  const bookPath = (index: number): string => `/v1/markets/${markets[index % markets.length]}/orderbook`
  // Code that has just been compiled is slow.
  await requestCost(scene, [], scene.requests, bookPath)
  const liveBook = await requestCost(scene, ['api', 'redis'], scene.requests, bookPath)
  progress('pages of history')
  const historyPage = await requestCost(
    scene,
    ['api', 'clickhouse', 'postgres'],
    Math.ceil(scene.requests / 10),
    (index) => {
      return `/v1/markets/${markets[index % markets.length]}/snapshots?from=${nowMs - HOUR_MS}&to=${nowMs}&limit=${PAGE}`
    },
  )
  progress('stream frames')
  const streamFrame = await streamCost(scene, markets.slice(0, MARKETS_A_SOCKET))
  progress('replayed rows')
  const replayedRow = await replayCost(scene, markets)
  progress('charges')
  const charge = await chargeCost(scene)
  progress('an exported hour')
  const exportHour = await exportCost(scene, progress)
  return { liveBook, historyPage, streamFrame, replayedRow, charge, exportHour }
}

/** Those with the most rows first. A listed market may have no book yet. */
async function marketsWithBooks({ service, account }: ServingScene): Promise<string[]> {
  const found: string[] = []
  const listed = await service.liveMarkets(account.key)
  listed.sort((one, other) => captureIntervalOf(one.category) - captureIntervalOf(other.category))
  for (const { conditionId } of listed) {
    const path = `/v1/markets/${conditionId}/orderbook`
    const reply = await service.client.ask({ port: service.port, path, headers: { 'x-api-key': account.key } })
    if (reply.status === 200) found.push(conditionId)
    if (found.length === MARKETS_ASKED) return found
  }
  if (found.length === 0) throw new Error('no market has a live book')
  return found
}

/** CPU of these processes during the work, without what they use anyway. */
async function cpuOf(
  { service, gateway, usual }: ServingScene,
  names: readonly string[],
  work: () => Promise<void>,
): Promise<number> {
  const [used, fromMs] = [cpuOfAll(pidsOf(service, gateway)), performance.now()]
  await work()
  return cpuAbove(used(), names, { cpuPerSecond: usual.cpuPerSecond, seconds: (performance.now() - fromMs) / 1_000 })
}

async function requestCost(
  scene: ServingScene,
  processes: readonly string[],
  count: number,
  pathOf: (index: number) => string,
): Promise<Cost> {
  const { service, account } = scene
  let bytes = 0
  const cpuS = await cpuOf(scene, processes, async () => {
    for (let index = 0; index < count; index++) {
      const reply = await service.client.ask({
        port: service.port,
        path: pathOf(index),
        headers: { 'x-api-key': account.key },
      })
      if (reply.status !== 200)
        throw new Error(`${pathOf(index)} responded with status ${reply.status}: ${reply.body.toString()}`)
      bytes += reply.body.length
    }
  })
  return { cpuS: cpuS / count, bytes: bytes / count, count }
}

async function streamCost(scene: ServingScene, markets: readonly string[]): Promise<Cost> {
  const { gateway, account, sockets, seconds } = scene
  await using readers = await Readers.start()
  const selectors = markets.map((market) => ({ market }))
  const subscribe = JSON.stringify({ id: 1, op: 'subscribe', selectors, channels: ['book'], options: { depth: DEPTH } })
  await readers.open({ port: gateway.port, count: sockets, keys: [account.key], subscribe, isStopped: false })
  await sleep((seconds * 1_000) / 3)
  await readers.count()
  const cpuS = await cpuOf(scene, ['gateway'], () => sleep(seconds * 1_000))
  const { messages, bytes } = await readers.count()
  await readers.close()
  return { cpuS: cpuS / messages, bytes: bytes / messages, count: messages }
}

async function replayCost(scene: ServingScene, markets: readonly string[]): Promise<Cost> {
  const { gateway, account } = scene
  const toMs = Date.now() - 2_000
  const socket = await openStream(streamUrl(gateway.port), account.key)
  let [rows, bytes] = [0, 0]
  socket.on('message', (data) => {
    if (!Buffer.isBuffer(data)) return
    rows++
    bytes += data.length
  })
  const cpuS = await cpuOf(scene, ['gateway', 'clickhouse'], async () => {
    const ended = untilSaid(socket, ({ type }) => type === 'replay_ended', REPLAYED_WITHIN_MS)
    const selectors = markets.map((market) => ({ market }))
    const range = { from: toMs - REPLAYED_MS, to: toMs, speed: 'max' }
    await askStream(socket, { op: 'replay', selectors, channels: ['book'], ...range })
    await ended
  })
  socket.terminate()
  return { cpuS: cpuS / rows, bytes: bytes / rows, count: rows }
}

/** Includes the CPU of this process, in which the code of the API runs. */
async function chargeCost(scene: ServingScene): Promise<Cost> {
  const { service, account, requests } = scene
  const own = process.cpuUsage()
  const cpuS = await cpuOf(scene, ['postgres'], async () => {
    for (let index = 0; index < requests; index++) {
      const request = { idem: `scale-${index}`, fingerprint: 'scale', endpoint: 'scale', requestId: `scale-${index}` }
      await service.access.ledger.charge({ accountId: account.id, credits: 1, ...request })
    }
  })
  const { user, system } = process.cpuUsage(own)
  return { cpuS: (cpuS + (user + system) / 1e6) / requests, bytes: 0, count: requests }
}

async function exportCost(scene: ServingScene, progress: Progress): Promise<Cost> {
  const { service, account, slots } = scene
  const nowMs = Date.now()
  const hourMs = (Math.floor(nowMs / HOUR_MS) - 2) * HOUR_MS
  const market = madeUpMarket('scale', 0, nowMs)
  await new Markets(service.access.database).saveListings([{ market, seenAtMs: hourMs }])
  await fillHour(rowInserter(service.recording.clickhouse), [market], { slots, hourMs }, progress)
  const path = `/v1/markets/${market.id}/export?hour=${new Date(hourMs).toISOString()}`
  const ask = (query = '') =>
    service.client.ask({ port: service.port, path: path + query, headers: { 'x-api-key': account.key } })
  for (let second = 0; second < FOUND_WITHIN_S && (await ask('&dry_run=true')).status !== 200; second++)
    await sleep(1_000)
  let bytes = 0
  const cpuS = await cpuOf(scene, ['api', 'clickhouse', 'postgres'], async () => {
    const reply = await ask()
    if (reply.status !== 200)
      throw new Error(`the export responded with status ${reply.status}: ${reply.body.toString()}`)
    bytes = reply.body.length
  })
  return { cpuS, bytes, count: 1 }
}
