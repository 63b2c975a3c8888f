import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, random } from '@bookreel/simulator/world/random'
import { ApiService, type LabMarket } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { ListeningProcess } from '../listening-process.ts'
import { percentile } from '../percentile.ts'
import { captureIntervalOf } from '../stream/capture-interval.ts'
import { auditDelivery } from '../stream/delivery-audit.ts'
import { FaultLine } from '../stream/fault-line.ts'
import { streamUrl } from '../stream/record-live.ts'
import { StreamFollower } from '../stream/stream-follower.ts'

/** Connections of a killed gateway count for the limit of an account for 30 s, so each account has few clients. */
const CLIENTS_AN_ACCOUNT = 2
const MARKETS_A_CLIENT = [2, 5] as const
const AWAY_MS = [50, 1_200] as const
/** Share of the open connections that each fault affects. */
const STRUCK_SHARE = 0.25
const STALL_MS = [500, 4_000] as const
const SETTLE_LIMIT_S = 180
/** Extra lifetime, so that no market ends by itself on a slow machine. */
const OUTLIVES_RUN_S = 3_600

type Event = { readonly at: number; readonly what: 'kill' | 'cut' | 'stall' | 'deafen' | 'end' }

export const continuity = experiment({
  name: 'continuity',
  summary: 'Checks that clients that resume get every slot once or a correct gap while gateway and network fail.',
  options: {
    clients: { description: 'number of clients that reconnect', default: 100, atLeast: 1 },
    kills: { description: 'number of kill -9 of the gateway', default: 20, atLeast: 0 },
    faults: {
      description: 'number of network faults: some connections break, stall or go silent',
      default: 30,
      atLeast: 0,
    },
    ends: {
      description: 'number of markets resolved during the run, one of them while the gateway is down',
      default: 6,
      atLeast: 0,
    },
    seconds: { description: 'duration of the faults in seconds', default: 240, atLeast: 5 },
    markets: { description: 'number of simulated markets', default: 100, atLeast: 20 },
    seed: { description: 'seed of the faults and the simulated world', default: 'bookreel' },
  },
  async run({ clients, kills, faults, ends, seconds, markets, seed }, progress) {
    const world = ['--markets', String(markets), '--seed', seed]
    await using service = await ApiService.start({ world, rows: 10 }, progress)
    const { environment, recording, client } = service
    progress('opening accounts')
    const accounts = await service.openAccounts(Math.ceil(clients / CLIENTS_AN_ACCOUNT), 'enterprise', 0)
    const live = await lasting(service, accounts[0]?.key ?? '', seconds + OUTLIVES_RUN_S)
    await using gateway = await ListeningProcess.start('gateway', environment, recording.folder)
    await gateway.untilOpen(client)
    await using line = await FaultLine.to(gateway.port, random(seed, 'lines'))
    const draw = random(seed, 'clients')
    const followers = Array.from({ length: clients }, (_, index) => {
      const key = accounts[index % accounts.length]?.key ?? ''
      return new StreamFollower({ url: streamUrl(line.port), key, markets: someOf(live, draw) })
    })
    const running = followers.map((follower) => follower.run())
    await untilAllReceive(followers, live, new Set())
    const over = new Set<string>()
    const endOne = async (): Promise<void> => {
      const market = draw.pick(live.filter(({ conditionId }) => !over.has(conditionId))).conditionId
      over.add(market)
      await recording.simulator.resolve(market)
    }
    const endsAlone = kills > 0 && ends > 0 ? 1 : 0
    const events = plan(random(seed, 'events'), { kills, faults, ends: ends - endsAlone, seconds })
    const done = await strike({ gateway, line, events, draw, endOne, endsAlone }, progress)
    progress('waiting until every client has reconnected')
    const back = await untilAllReceive(followers, live, over)
    for (const follower of followers) follower.stop()
    await Promise.all(running)
    progress('comparing received slots with the store')
    const audit = await auditDelivery(recording.clickhouse, followers)
    const silent = followers.flatMap((follower) => follower.silent)
    const resumptions = followers.flatMap((follower) => follower.resumptions)
    const away = resumptions.map(({ awayMs }) => awayMs)
    const answered = resumptions.map(({ answerMs }) => answerMs)
    const twice = sum(followers.map((follower) => follower.twice))
    const refusals = counted(followers)
    return {
      bounds: [
        bound('kills of the gateway', done.filter(({ what }) => what === 'kill').length, '=', kills),
        bound('markets that ended', over.size, '=', ends),
        bound('clients connected at the end that know which markets ended', back, '=', clients),
        bound('slots skipped without a gap event', silent.length + audit.notDelivered, '<=', 0),
        bound('slots received twice', twice, '<=', 0),
        bound('gap events without a matching gap record', audit.unconfirmed.length, '<=', 0),
        bound('gap events for slots that are stored', audit.gapsOverRows.length, '<=', 0),
        bound('received books that are not stored', audit.notStored, '<=', 0),
      ],
      series: {
        events: done,
        delivered: [audit.delivered],
        resumptions,
        refusals: [Object.fromEntries(refusals)],
        silent: silent.slice(0, 20),
        unconfirmed: audit.unconfirmed.slice(0, 20),
        gapsOverRows: audit.gapsOverRows.slice(0, 20),
      },
      notes: [
        `${audit.delivered} books delivered, ${audit.gapsTold} gap events, ${sum(followers.map(({ skipped }) => skipped))} skipped for slow readers`,
        `${resumptions.length} resumptions; away p50 ${ms(away, 0.5)}, p99 ${ms(away, 0.99)}; from request to first book p50 ${ms(answered, 0.5)}, p99 ${ms(answered, 0.99)}`,
        ...[...refusals].map(([words, count]) => `  ${count} × ${words}`),
      ],
    }
  },
})

/** Markets that outlast the run, so that only the experiment decides which ones end. */
async function lasting(service: ApiService, key: string, seconds: number): Promise<LabMarket[]> {
  const found = (await service.liveMarkets(key)).filter(({ expiresIn }) => expiresIn > seconds)
  if (found.length === 0) throw new Error('no live market lasts longer than the run; use fewer --seconds')
  return found
}

function someOf(markets: readonly LabMarket[], draw: Random): string[] {
  const count = Math.min(markets.length, draw.whole(...MARKETS_A_CLIENT))
  const chosen = new Set<string>()
  while (chosen.size < count) chosen.add(draw.pick(markets).conditionId)
  return [...chosen]
}

/** Moments within the run, in milliseconds from its start. */
function plan(
  draw: Random,
  { kills, faults, ends, seconds }: { kills: number; faults: number; ends: number; seconds: number },
): Event[] {
  const at = (): number => draw.whole(0, seconds * 1_000)
  const events: Event[] = [
    ...Array.from({ length: kills }, (): Event => ({ at: at(), what: 'kill' })),
    ...Array.from({ length: ends }, (): Event => ({ at: at(), what: 'end' })),
    ...Array.from(
      { length: faults },
      (): Event => ({ at: at(), what: draw.pick(['cut', 'stall', 'deafen'] as const) }),
    ),
  ]
  return events.sort((one, other) => one.at - other.at)
}

async function strike(
  {
    gateway,
    line,
    events,
    draw,
    endOne,
    endsAlone,
  }: {
    gateway: ListeningProcess
    line: FaultLine
    events: readonly Event[]
    draw: Random
    endOne: () => Promise<void>
    /** Of the ends, those that happen while no gateway runs. */
    endsAlone: number
  },
  progress: Progress,
): Promise<{ what: string; atMs: number; lines?: number }[]> {
  const done: { what: string; atMs: number; lines?: number }[] = []
  const fromMs = performance.now()
  let endsLeft = endsAlone
  for (const { at, what } of events) {
    await sleep(Math.max(0, fromMs + at - performance.now()))
    progress(`${done.length + 1} of ${events.length}: ${what}`)
    const atMs = Date.now()
    if (what === 'kill') {
      await gateway.kill()
      if (endsLeft-- > 0) await endOne()
      await sleep(draw.whole(...AWAY_MS))
      await gateway.restart()
      done.push({ what, atMs })
    } else if (what === 'end') {
      await endOne()
      done.push({ what, atMs })
    } else if (what === 'stall') done.push({ what, atMs, lines: line.stall(STRUCK_SHARE, draw.whole(...STALL_MS)) })
    else done.push({ what, atMs, lines: line[what](STRUCK_SHARE) })
  }
  return done
}

/** Waits until all clients have a current book of each market or know that it ended; returns how many do. */
async function untilAllReceive(
  followers: readonly StreamFollower[],
  markets: readonly LabMarket[],
  over: ReadonlySet<string>,
): Promise<number> {
  const sinceMs = Date.now()
  const intervals = new Map(markets.map(({ conditionId, category }) => [conditionId, captureIntervalOf(category)]))
  const isCurrent = (follower: StreamFollower, market: string): boolean =>
    over.has(market)
      ? follower.ended.has(market)
      : (follower.seqsOf(market).at(-1) ?? 0) * (intervals.get(market) ?? 0) >= sinceMs
  const back = (): number =>
    followers.filter((follower) => follower.markets.every((market) => isCurrent(follower, market))).length
  for (let tenths = 0; tenths < SETTLE_LIMIT_S * 10 && back() < followers.length; tenths++) await sleep(100)
  return back()
}

function counted(followers: readonly StreamFollower[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [words, count] of followers.flatMap(({ refusals }) => [...refusals])) {
    counts.set(words, (counts.get(words) ?? 0) + count)
  }
  return counts
}

function ms(values: readonly number[], share: number): string {
  return `${Math.round(percentile(values, share))} ms`
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
