import { randomUUID } from 'node:crypto'
import type { AccessControl } from '../../access/access-control.ts'
import type { Caller } from '../../access/caller.ts'
import { ApiError } from '../../domain/api-error.ts'
import { creditsOfRows } from '../../domain/prices.ts'
import { STREAM_SUBSCRIPTIONS } from '../../domain/tier.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { shown } from '../../domain/value-problems.ts'
import { apiErrorOf } from '../../pipeline/api-error-of.ts'
import type { ApiMetrics } from '../../pipeline/api-metrics.ts'
import { authorise } from '../../pipeline/authorise.ts'
import { chargeCredits } from '../../pipeline/charge-credits.ts'
import { recorded } from '../../pipeline/record.ts'
import { momentMs } from '../connection/read-frame.ts'
import type { SocketWriter } from '../connection/socket-writer.ts'
import type { GatewayMeter } from '../gateway-metrics.ts'
import type { MarketStore } from '../markets/market-store.ts'
import { meaningOf, resolveThen, type SelectorDeps } from '../markets/resolve-selectors.ts'
import { type StreamMarket, venuesOf } from '../markets/stream-market.ts'
import { channelKind } from '../protocol/channels.ts'
import type { ClientFrame, ServerFrame } from '../protocol/protocol.ts'
import { Replay } from './replay.ts'
import { type ReplayMarket, ReplayReader } from './replay-reader.ts'

export interface OpenReplayDeps {
  readonly accessControl: Pick<AccessControl, 'charge' | 'requireCredits' | 'noteServed' | 'noteRefused'>
  readonly metrics: ApiMetrics
  readonly caller: Caller
  readonly selectors: SelectorDeps
  readonly store: MarketStore
  readonly writer: SocketWriter
  readonly meter: GatewayMeter
  readonly nowMs: () => number
}

type ReplayRequest = Extract<ClientFrame, { op: 'replay' }>
type Ack = Extract<ServerFrame, { type: 'ack' }>

interface Chosen {
  readonly market: StreamMarket
  readonly range: TimeRange
}

const NAME = 'stream_replay'

interface Opened {
  readonly ack: Ack
  /** Undefined for a dry run, or without markets. */
  readonly replay: Replay | undefined
}

/** Opens a replay with the steps of the request pipeline; rows are charged as they are sent. */
export function openReplay(deps: OpenReplayDeps, request: ReplayRequest): Promise<Opened> {
  return recorded(deps.metrics, { transport: 'stream', route: NAME }, async () => {
    try {
      return { ...(await open(deps, request)), status: 200 }
    } catch (error) {
      deps.accessControl.noteRefused(deps.caller, NAME, apiErrorOf(error).code)
      throw error
    }
  })
}

async function open(deps: OpenReplayDeps, request: ReplayRequest): Promise<Opened> {
  const { caller, writer, nowMs } = deps
  const range = rangeOf(request, nowMs())
  authorise({ caller }, { scope: 'history' }, [{ historyAgeMs: nowMs() - range.fromMs }])
  const { chosen, accepted, rejected } = await choose(deps, request, range)
  const marketsOf = (): ReplayMarket[] =>
    chosen.map(({ market, range: own }) => ({
      market,
      ...own,
      streams: request.channels.map((channel) =>
        channelKind(channel).open(market, { isFull: false, send: (frame) => writer.send(frame) }, request.options),
      ),
    }))
  const rows = await new ReplayReader(deps.store, marketsOf()).count()
  const credits = creditsOfRows(rows)
  const size = { from: range.fromMs, to: range.toMs, rows, credits, markets: chosen.length }
  const ack: Ack = { type: 'ack', id: request.id, op: request.op, accepted, rejected, replay: size }
  if (request.dry_run || chosen.length === 0) return { ack, replay: undefined }
  if (credits > 0) await deps.accessControl.requireCredits(caller, 1)
  deps.accessControl.noteServed(caller, NAME)
  const replayId = randomUUID()
  let part = 0
  const charge = (due: number) =>
    chargeCredits(deps, 'stream', caller, {
      credits: due,
      endpoint: NAME,
      fingerprint: `${replayId} ${part}`,
      requestId: `${replayId}:${part++}`,
    })
  const replay = new Replay(
    { store: deps.store, writer, charge, nowMs, onRows: (count) => deps.meter.replayed(count) },
    marketsOf,
    range,
    request.speed,
  )
  return { ack, replay }
}

async function choose({ selectors, caller }: OpenReplayDeps, request: ReplayRequest, range: TimeRange) {
  const chosen = new Map<string, Chosen>()
  const accepted: NonNullable<Ack['accepted']> = []
  const rejected: NonNullable<Ack['rejected']> = []
  for (const selector of request.selectors) {
    const found = await resolveThen(selectors, selector, caller, range)
    if ('reason' in found) {
      rejected.push({ selector, ...found })
      continue
    }
    for (const market of found.markets) {
      if (!chosen.has(market.id))
        chosen.set(market.id, { market, range: 'coin' in meaningOf(selector) ? windowOf(market, range) : range })
    }
    const markets = found.markets.map(({ name }) => name)
    const venues = venuesOf(found.markets)
    const how = found.matchedBy && { matched_by: found.matchedBy }
    for (const channel of request.channels) accepted.push({ selector, channel, markets, venues, ...how })
  }
  const most = STREAM_SUBSCRIPTIONS[caller.tier]
  if (chosen.size * request.channels.length > most) {
    throw new ApiError(
      'invalid_request',
      `Your tier allows ${most} markets × channels in one replay. Choose fewer markets or a shorter range.`,
    )
  }
  return { chosen: [...chosen.values()], accepted, rejected }
}

/** A window selected by coin is replayed only for the time when it was current, as in a live stream. */
function windowOf({ listed }: StreamMarket, { fromMs, toMs }: TimeRange): TimeRange {
  return {
    fromMs: Math.max(fromMs, listed?.startsAtMs ?? fromMs),
    toMs: Math.min(toMs, listed?.endsAtMs ?? toMs),
  }
}

function rangeOf({ from, to, channels }: ReplayRequest, nowMs: number): TimeRange {
  const [fromMs, toMs] = [momentMs(from), Math.min(momentMs(to), nowMs)]
  if (fromMs >= toMs) {
    const problem = fromMs >= nowMs ? 'must be in the past' : 'must be before to'
    throw new ApiError('invalid_request', `from ${problem}, got ${shown(from)} and ${shown(to)}`)
  }
  const lacking = channels.find((channel) => channelKind(channel).replays === 'nothing')
  if (lacking !== undefined)
    throw new ApiError(
      'invalid_request',
      `The channel ${lacking} can not be replayed. Use book, bbo, trade or context.`,
    )
  return { fromMs, toMs }
}
