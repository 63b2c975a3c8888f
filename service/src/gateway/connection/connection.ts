import type { AccessControl } from '../../access/access-control.ts'
import type { Caller } from '../../access/caller.ts'
import { ApiError } from '../../domain/api-error.ts'
import type { ApiMetrics } from '../../pipeline/api-metrics.ts'
import { forCaller } from '../../stores/engines/waiting-caller.ts'
import type { MarketStream } from '../channels/market-stream.ts'
import type { GatewayMeter } from '../gateway-metrics.ts'
import { withCountedLookups } from '../markets/counted-lookups.ts'
import type { CurrentMarkets } from '../markets/current-markets.ts'
import type { Hub } from '../markets/hub.ts'
import type { MarketStore } from '../markets/market-store.ts'
import { resolveNow, type SelectorDeps } from '../markets/resolve-selectors.ts'
import { venuesOf } from '../markets/stream-market.ts'
import { Subscriptions } from '../markets/subscriptions.ts'
import { CLOSE_CODES, type ClientFrame, type Selector, type ServerFrame } from '../protocol/protocol.ts'
import { ReplayControl } from '../replay/replay-control.ts'
import { idIn, readFrame } from './read-frame.ts'
import { endConnection } from './refuse-connection.ts'
import { resumeStreams, tooOld } from './resume-streams.ts'
import type { SocketWriter } from './socket-writer.ts'
import { streamErrorOf } from './stream-error.ts'
import { FRAMES_PER_SECOND, FrameCount, type StreamLimits } from './stream-limits.ts'
import { turns } from './turns.ts'

export interface ConnectionDeps {
  readonly accessControl: AccessControl
  readonly metrics: ApiMetrics
  readonly hub: Hub
  readonly store: MarketStore
  readonly selectors: SelectorDeps
  readonly meter: GatewayMeter
  readonly limits: StreamLimits
  readonly nowMs: () => number
  readonly onTrouble: (error: unknown) => void
}

type Ack = Extract<ServerFrame, { type: 'ack' }>
type FrameOf<Op extends ClientFrame['op']> = Extract<ClientFrame, { op: Op }>

/** Frames of a connection that wait for the answers to earlier ones; further ones are refused. */
const MAX_WAITING_FRAMES = 40
/** A frame with many selectors runs at most this long before the event loop handles other work. */
const YIELD_AFTER_MS = 8
const RETRY_AFTER_MS = 1_000

/** One client of `/v1/stream`: its requests, subscriptions and replay. */
export class Connection {
  readonly id: string
  readonly writer: SocketWriter
  readonly caller: Caller
  readonly #deps: ConnectionDeps
  readonly #subscriptions: Subscriptions
  readonly #count: FrameCount
  readonly #selectors: SelectorDeps
  readonly #closed = new AbortController()
  readonly #replays: ReplayControl
  #lastAnswer: Promise<void> = Promise.resolve()
  #waitingFrames = 0

  constructor(deps: ConnectionDeps, { id, writer, caller }: { id: string; writer: SocketWriter; caller: Caller }) {
    this.#deps = deps
    this.id = id
    this.writer = writer
    this.caller = caller
    const { hub, nowMs, limits } = deps
    this.#count = new FrameCount(limits, caller.accountId)
    this.#selectors = withCountedLookups(deps.selectors, () => limits.takeLookup(caller.accountId))
    this.#subscriptions = new Subscriptions({ hub, caller, outlet: writer, nowMs })
    this.#replays = new ReplayControl({ ...deps, selectors: this.#selectors, caller, writer })
  }

  welcome(): void {
    const { id: connection, caller } = this
    const server_time = this.#deps.nowMs()
    this.writer.sendFrame({ type: 'welcome', connection, tier: caller.tier, limits: this.#limits, server_time })
  }

  get isReplaying(): boolean {
    return this.#replays.isRunning
  }

  /** Whether it has subscribed to the `status` channel. */
  get wantsStatus(): boolean {
    return [...this.#subscriptions.streams].some(({ channel }) => channel === 'status')
  }

  receive(text: string): void {
    if (this.#count.isOver) return
    let frame: ClientFrame
    try {
      this.#count.take()
      frame = readFrame(text)
      if (frame.op !== 'ping' && this.#waitingFrames >= MAX_WAITING_FRAMES) throw tooManyWaiting()
    } catch (error) {
      this.#refuse(error, idIn(text))
      return
    }
    if (frame.op === 'ping') {
      this.writer.sendFrame({ type: 'pong', id: frame.id, server_time: this.#deps.nowMs() })
      return
    }
    // In order, because a frame may depend on those before it.
    this.#waitingFrames++
    this.#lastAnswer = this.#lastAnswer.then(async () => {
      await this.#answerFrame(frame)
      this.#waitingFrames--
    })
  }

  updateMarkets(currently: CurrentMarkets): void {
    this.#subscriptions.updateMarkets(currently)
  }

  ended(marketId: string): void {
    this.#subscriptions.ended(marketId)
  }

  /** Called when a slow reader has caught up. */
  drained(): void {
    const nowMs = this.#deps.nowMs()
    for (const stream of this.#subscriptions.streams) if (!this.writer.isFull) stream.drained?.(nowMs)
  }

  /** Ends subscriptions and replay; the caller closes the socket. */
  end(): void {
    this.#closed.abort()
    this.#replays.end()
    this.#subscriptions.leave(undefined, undefined)
  }

  async #answerFrame(frame: Exclude<ClientFrame, { op: 'ping' }>): Promise<void> {
    if (this.#closed.signal.aborted) return
    try {
      const caller = { account: this.caller.accountId, signal: this.#closed.signal }
      const ack = await forCaller(caller, () => this.#execute(frame))
      if (ack !== undefined) this.writer.sendFrame(ack)
    } catch (error) {
      // Its reads were cancelled, and nobody gets the answer.
      if (this.#closed.signal.aborted) return
      const apiError = streamErrorOf(error)
      if (apiError.code === 'internal') this.#deps.onTrouble(error)
      this.writer.sendFrame({ type: 'error', id: frame.id, code: apiError.code, message: apiError.message })
    }
  }

  async #execute(frame: Exclude<ClientFrame, { op: 'ping' }>): Promise<Ack | undefined> {
    switch (frame.op) {
      case 'auth':
        throw new ApiError('invalid_request', 'This connection is already authenticated. Do not send auth again.')
      case 'subscribe':
      case 'resume':
        requireSingleMarkets(this.caller, frame.selectors)
        return this.#subscribe(frame)
      case 'unsubscribe':
        return this.#unsubscribe(frame)
      case 'replay':
        requireSingleMarkets(this.caller, frame.selectors)
        if (this.#subscriptions.used === 0) return this.#replays.start(frame)
        return this.#busy(
          frame.id,
          'This connection has live subscriptions. Unsubscribe first, or use another connection.',
        )
      default:
        return this.#replays.command(frame)
    }
  }

  async #subscribe(frame: FrameOf<'subscribe'> | FrameOf<'resume'>): Promise<Ack | undefined> {
    if (this.isReplaying) return this.#busy(frame.id, 'A replay is running. Stop it, or use another connection.')
    const accepted: NonNullable<Ack['accepted']> = []
    const rejected: NonNullable<Ack['rejected']> = []
    const begun: MarketStream[] = []
    let yieldedAtMs = performance.now()
    for (const selector of distinct(frame.selectors)) {
      if (this.#closed.signal.aborted) return undefined
      if (performance.now() - yieldedAtMs > YIELD_AFTER_MS) {
        await turns.next()
        yieldedAtMs = performance.now()
      }
      const found = await resolveNow(this.#selectors, selector, this.caller)
      const late =
        'reason' in found || frame.op === 'subscribe' ? undefined : tooOld(frame, found.markets, this.#deps.nowMs())
      for (const channel of frame.channels) {
        const streams =
          'reason' in found
            ? found
            : (late ?? this.#subscriptions.take(selector, channel, frame.options, found.markets))
        if ('reason' in streams) {
          rejected.push({ selector, channel, ...streams })
          continue
        }
        begun.push(...streams)
        const markets = streams.map(({ market }) => market.name)
        const matchedBy = 'reason' in found ? undefined : found.matchedBy
        const venues = venuesOf(streams.map(({ market }) => market))
        accepted.push({ selector, channel, markets, venues, ...(matchedBy && { matched_by: matchedBy }) })
      }
    }
    // The ack is sent before the first data frame.
    this.writer.sendFrame({ type: 'ack', id: frame.id, op: frame.op, accepted, rejected, limits: this.#limits })
    if (frame.op === 'subscribe') for (const stream of begun) this.#begin(stream)
    else {
      const { writer } = this
      const deps = {
        ...this.#deps,
        begin: (stream: MarketStream) => this.#begin(stream),
        onFailed: (error: unknown) => this.#endAfterFailure(error),
        isWanted: (stream: MarketStream) => this.#subscriptions.has(stream),
        isFull: () => writer.isFull,
        untilRead: (signal: AbortSignal) => writer.untilRead(signal),
      }
      resumeStreams(deps, frame, begun, this.#closed.signal)
    }
    return undefined
  }

  /** A stream that can't catch up would miss frames without a notice, so the client has to resume. */
  #endAfterFailure(error: unknown): void {
    this.#deps.onTrouble(error)
    const { code, message } = streamErrorOf(error)
    const again = { mayReconnect: true, retryAfterMs: RETRY_AFTER_MS, closeCode: CLOSE_CODES.going_away }
    endConnection(this.writer, false, { code, message: `${message} Connect again and resume.`, ...again })
  }

  #begin(stream: MarketStream): void {
    this.#deps.hub.add(stream)
    const dark = this.#deps.hub.known(stream.market.id)?.dark
    if (stream.channel !== 'status' || dark === undefined) return
    const nowMs = this.#deps.nowMs()
    const fields = { since_seq: dark.sinceSeq, cause: dark.cause, at: nowMs, sent_at: nowMs }
    stream.notice?.(JSON.stringify({ channel: 'status', type: 'dark', market: stream.market.name, ...fields }))
  }

  #unsubscribe({ id, op, selectors, channels }: FrameOf<'unsubscribe'>): Ack {
    const left = this.#subscriptions.leave(selectors, channels)
    const keys = new Set(left.map(({ key }) => key))
    const unknown = (selectors ?? []).filter((selector: Selector) => !keys.has(JSON.stringify(selector)))
    const notSubscribed = {
      reason: 'not_subscribed',
      message: 'This connection has no subscription with this selector.',
    }
    return {
      type: 'ack',
      id,
      op,
      accepted: left.map(({ selector, channel }) => ({ selector, channel, markets: [] })),
      rejected: unknown.map((selector) => ({ selector, ...notSubscribed })),
      limits: this.#limits,
    }
  }

  /** Answers with an error, and closes the connection after too many. */
  #refuse(error: unknown, id: string | number | undefined): void {
    const { code, message } = streamErrorOf(error)
    this.writer.sendFrame({ type: 'error', ...(id !== undefined && { id }), code, message })
    this.#deps.meter.refusedFrame(code)
    this.#count.refused()
    if (!this.#count.isOver) return
    const reason = 'The client sent too many invalid or too frequent frames.'
    this.writer.close(CLOSE_CODES.abusive, code, { type: 'closing', code, message: reason, reconnect: false })
  }

  #busy(id: string | number, message: string): undefined {
    this.writer.sendFrame({ type: 'error', id, code: 'busy', message })
  }

  get #limits() {
    const { most: subscriptions, used } = this.#subscriptions
    return { subscriptions, used, messages_per_second: FRAMES_PER_SECOND }
  }
}

function distinct(selectors: readonly Selector[]): Iterable<Selector> {
  return new Map(selectors.map((selector) => [JSON.stringify(selector), selector])).values()
}

function tooManyWaiting(): ApiError {
  return new ApiError(
    'rate_limited',
    `${MAX_WAITING_FRAMES} frames of this connection wait for their answers. Wait for answers before you send more.`,
  )
}

/** A page shows markets, not categories. */
function requireSingleMarkets({ isConsole }: Caller, selectors: readonly Selector[]): void {
  if (!isConsole || !selectors.some((selector) => 'category' in selector)) return
  throw new ApiError('invalid_request', 'The console can not select a category. Select markets, or use an API key.')
}
