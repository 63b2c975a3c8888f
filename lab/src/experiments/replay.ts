import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { ListeningProcess } from '../listening-process.ts'
import { cpuMeter } from '../process-cpu.ts'
import type { SimulatorProcess } from '../simulator-process.ts'
import { captureIntervalOf } from '../stream/capture-interval.ts'
import { FrameLog } from '../stream/frame-log.ts'
import { readFrameText } from '../stream/frame-text.ts'
import { askStream, type LiveMarket, openStream, recordLive, streamUrl, untilSaid } from '../stream/record-live.ts'

/** A multiple of every plan's interval. */
const WHOLE_SLOTS_MS = 6_000
const MOST_SELECTORS = 500
const AMPLE_CREDITS = 50_000_000
const STORED_WITHIN_S = 180
const REPLAYED_WITHIN_MS = 1_800_000
/** Number of markets whose frames the venue drops, so that their books are doubted. */
const DROPPED_MARKETS = 3
/** How long new sockets are refused after all were closed, so that every market misses slots. */
const CLOSED_MS = 3_000

export const replay = experiment({
  name: 'replay',
  summary:
    'Checks that a replay equals what a client received live, frame by frame and gap by gap; measures its speed.',
  options: {
    markets: { description: 'number of simulated markets; about half of them are open', default: 420, atLeast: 20 },
    compared: { description: 'minimum number of compared markets', default: 200, atLeast: 1 },
    minutes: { description: 'recording time in minutes', default: 10, atLeast: 0.2 },
    speed: { description: 'minimum speed: recorded seconds per second of replay', default: 10, atLeast: 0 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
  },
  async run({ markets, compared, minutes, speed, seed }, progress) {
    const world = ['--markets', String(markets), '--seed', seed]
    await using service = await ApiService.start({ world, rows: 10 }, progress)
    const { environment, recording, client } = service
    const { key } = await service.openAccount('enterprise', AMPLE_CREDITS)
    await using gateway = await ListeningProcess.start('gateway', environment, recording.folder)
    await gateway.untilOpen(client)
    const chosen = (await service.liveMarkets(key))
      .slice(0, MOST_SELECTORS)
      .map(({ conditionId, category }): LiveMarket => ({ id: conditionId, intervalMs: captureIntervalOf(category) }))
    const file = join(recording.folder, 'live-frames')
    await using log = await FrameLog.open(file)
    // The file stays open and needs no name.
    await rm(file)

    const place = { url: streamUrl(gateway.port), key }
    const fromMs = Math.ceil((Date.now() + 500) / WHOLE_SLOTS_MS) * WHOLE_SLOTS_MS
    const toMs = fromMs + Math.ceil((minutes * 60_000) / WHOLE_SLOTS_MS) * WHOLE_SLOTS_MS
    const liveCpu = cpuMeter(gateway.pid)
    const live = await recordLive(place, chosen, log, { fromMs, toMs })
    const faults = await listen({ fromMs, toMs, simulator: recording.simulator, markets: chosen }, progress)
    const liveShare = liveCpu()
    await live.stop()

    progress('waiting until everything is stored')
    const span = await untilStored(recording.clickhouse, { chosen, live, fromMs, toMs })
    for (const id of span.unfit) log.forget(id)
    const fitting = chosen.filter(({ id }) => live.firstSlots.has(id) && !span.unfit.includes(id))
    progress('replaying')
    const replayCpu = cpuMeter(gateway.pid)
    const replayed = await replayAll(place, fitting, log, { fromMs: span.fromMs, toMs })
    const replayShare = replayCpu()
    await log.finish()

    const { counts, differences } = log
    const reached = (toMs - span.fromMs) / 1_000 / replayed.seconds
    return {
      bounds: [
        bound('markets compared', fitting.length, '>=', compared),
        bound(
          'share of the received markets that are compared',
          hundredths(fitting.length / live.firstSlots.size),
          '>=',
          0.9,
        ),
        bound('gap frames compared', counts.gaps, '>=', 2),
        bound('frames skipped because the live client was too slow', live.skipped, '<=', 0),
        bound('frames that differ', counts.different, '<=', 0),
        bound('frames missing in the replay', counts.missing, '<=', 0),
        bound('frames only in the replay', counts.extra, '<=', 0),
        bound('replay complete (1 = yes)', replayed.reason === 'complete' ? 1 : 0, '=', 1),
        bound('speed, recorded time / replay time', Math.round(reached * 10) / 10, '>=', speed),
      ],
      series: {
        counts: [counts],
        replayed: [replayed],
        faults,
        differences,
        gatewayCpuPercent: [{ live: liveShare, replay: replayShare }],
      },
      notes: [
        `${counts.recorded} frames of ${fitting.length} markets, ${counts.gaps} of them gaps, ${counts.equal} equal`,
        `replayed in ${replayed.seconds.toFixed(1)} s: ${Math.round(counts.equal / replayed.seconds)} frames and ${(replayed.bytes / replayed.seconds / 1e6).toFixed(1)} MB a second, ${replayed.credits} credits`,
        `CPU of the gateway: ${liveShare} % of a core live, ${replayShare} % in the replay`,
        ...differences.map(({ kind, track, key: name, live: heard, replayed: again }) =>
          [`${kind}: ${track} ${name}`, `  live   ${heard ?? '-'}`, `  replay ${again ?? '-'}`].join('\n'),
        ),
      ],
    }
  },
})

interface Listening {
  readonly fromMs: number
  readonly toMs: number
  readonly simulator: SimulatorProcess
  readonly markets: readonly LiveMarket[]
}

/** Waits for the end of the range; meanwhile the venue drops frames of some markets, and then all sockets. */
async function listen({ fromMs, toMs, simulator, markets }: Listening, progress: Progress): Promise<object[]> {
  const lengthMs = toMs - fromMs
  const until = async (atMs: number): Promise<void> => {
    while (Date.now() < atMs) {
      progress(`${Math.round((Date.now() - fromMs) / 1_000)} of ${lengthMs / 1_000} s recorded`)
      await sleep(Math.min(1_000, Math.max(0, atMs - Date.now())))
    }
  }
  const busiest = markets.toSorted((one, other) => one.intervalMs - other.intervalMs).slice(0, DROPPED_MARKETS)
  await until(fromMs + 0.3 * lengthMs)
  const dropping = await Promise.all(
    busiest.map(({ id }) => simulator.cause({ name: 'drop', rate: 0.3, target: { market: id } })),
  )
  await until(fromMs + 0.45 * lengthMs)
  for (const id of dropping) await simulator.end(id)
  await until(fromMs + 0.6 * lengthMs)
  const refusal = await simulator.cause({ name: 'refuse-upgrade', target: { feed: 'polymarket' } })
  await simulator.cause({ name: 'disconnect', target: { feed: 'polymarket' } })
  await until(fromMs + 0.6 * lengthMs + CLOSED_MS)
  await simulator.end(refusal)
  // The last frames of the range arrive after its end.
  await until(toMs + WHOLE_SLOTS_MS)
  return [
    { fault: 'drop', markets: busiest.map(({ id }) => id) },
    { fault: 'disconnect', atMs: fromMs + 0.6 * lengthMs, closedMs: CLOSED_MS },
  ]
}

interface Heard {
  readonly chosen: readonly LiveMarket[]
  readonly live: { readonly firstSlots: ReadonlyMap<string, number>; readonly rows: number }
  readonly fromMs: number
  readonly toMs: number
}

/**
 * A replay begins at one moment for all markets, the live stream with whatever came first of each. The moment that
 * suits most is chosen; the markets that it does not suit are left out.
 */
async function untilStored(
  clickhouse: ClickHouseClient,
  { chosen, live, fromMs, toMs }: Heard,
): Promise<{ fromMs: number; unfit: string[] }> {
  const intervals = new Map(chosen.map(({ id, intervalMs }) => [id, intervalMs]))
  const firstMs = new Map([...live.firstSlots].map(([id, slot]) => [id, slot * (intervals.get(id) ?? 0)]))
  let stored = new Map<string, number[]>()
  for (let second = 0; second < STORED_WITHIN_S; second++) {
    stored = await slotTimes(clickhouse, { ids: [...firstMs.keys()], fromMs: fromMs - WHOLE_SLOTS_MS, toMs })
    const heard = [...stored].flatMap(([id, times]) => times.filter((atMs) => atMs >= (firstMs.get(id) ?? 0)))
    if (heard.length >= live.rows) break
    await sleep(1_000)
  }
  const unfitAt = (startMs: number): string[] =>
    [...firstMs].filter(([id, atMs]) => stored.get(id)?.find((each) => each >= startMs) !== atMs).map(([id]) => id)
  const starts = [...new Set(firstMs.values())].map((startMs) => ({ fromMs: startMs, unfit: unfitAt(startMs) }))
  const [best] = starts.sort((one, other) => one.unfit.length - other.unfit.length || one.fromMs - other.fromMs)
  if (best === undefined) throw new Error('the live client received no frames')
  return best
}

async function slotTimes(
  clickhouse: ClickHouseClient,
  range: { ids: readonly string[]; fromMs: number; toMs: number },
): Promise<Map<string, number[]>> {
  const answer = await clickhouse.query({
    query: `SELECT concat('0x', lower(hex(market_id))) AS id, arraySort(groupUniqArray(toUnixTimestamp64Milli(slot_at))) AS times
      FROM snapshots WHERE slot_at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND slot_at < fromUnixTimestamp64Milli({toMs:Int64})
        AND id IN {ids:Array(String)} GROUP BY market_id`,
    query_params: range,
    format: 'JSONEachRow',
  })
  const rows = await answer.json<{ id: string; times: string[] }>()
  return new Map(rows.map(({ id, times }) => [id, times.map(Number)]))
}

async function replayAll(
  { url, key }: { url: string; key: string },
  markets: readonly LiveMarket[],
  log: FrameLog,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<{ reason: string; seconds: number; bytes: number; credits: number }> {
  const socket = await openStream(url, key)
  let bytes = 0
  socket.on('message', (data) => {
    if (!Buffer.isBuffer(data)) return
    bytes += data.length
    const frame = readFrameText(data)
    if (frame !== undefined) log.meet(frame)
  })
  const selectors = markets.map(({ id }) => ({ market: id }))
  const ended = untilSaid(socket, ({ type }) => type === 'replay_ended', REPLAYED_WITHIN_MS)
  const beganMs = performance.now()
  const what = { selectors, channels: ['book', 'bbo'], from: fromMs, to: toMs, speed: 'max' }
  await askStream(socket, { op: 'replay', ...what })
  const { reason, credits } = await ended
  const seconds = (performance.now() - beganMs) / 1_000
  socket.terminate()
  return { reason, seconds, bytes, credits }
}
