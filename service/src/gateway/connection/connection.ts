import type { AccessControl } from '../../access/access-control.ts'
import type { Caller } from '../../access/caller.ts'
import { LocalLimit } from '../../access/local-limit.ts'
import { ApiError } from '../../domain/api-error.ts'
import type { ApiMetrics } from '../../pipeline/api-metrics.ts'
import type { MarketStream } from '../channels/market-stream.ts'
import type { GatewayMeter } from '../gateway-metrics.ts'
import type { CurrentMarkets } from '../markets/current-markets.ts'
import type { Hub } from '../markets/hub.ts'
import type { MarketStore } from '../markets/market-store.ts'
import { resolveNow, type SelectorDeps } from '../markets/resolve-selectors.ts'
import { Subscriptions } from '../markets/subscriptions.ts'
import { CLOSE_CODES, type ClientFrame, type Selector, type ServerFrame } from '../protocol/protocol.ts'
import { ReplayControl } from '../replay/replay-control.ts'
import { idIn, readFrame } from './read-frame.ts'
import { resumeStreams, tooOld } from './resume-streams.ts'
import type { SocketWriter } from './socket-writer.ts'
import { streamErrorOf } from './stream-error.ts'

export interface ConnectionDeps {
  readonly accessControl: AccessControl
  readonly metrics: ApiMetrics
  readonly hub: Hub
  readonly store: MarketStore
  readonly selectors: SelectorDeps
  readonly meter: GatewayMeter
  readonly nowMs: () => number
  readonly onTrouble: (error: unknown) => void
}

type Ack = Extract<ServerFrame, { type: 'ack' }>
type FrameOf<Op extends ClientFrame['op']> = Extract<ClientFrame, { op: Op }>

const FRAMES_PER_SECOND = 20
const FRAME_RATE = { rpm: FRAMES_PER_SECOND * 60, burst: 40 }
/** More invalid or too frequent frames than this close the connection. */
const MAX_BAD_FRAMES = 20

/** One client of `/v1/stream`: its requests, subscriptions and replay. */
export class Connection {
  readonly id: string
  readonly writer: SocketWriter
  readonly caller: Caller
  readonly #deps: ConnectionDeps
  readonly #subscriptions: Subscriptions
  readonly #rate = new LocalLimit({ nowMs: () => performance.now(), mostEntries: 1 })
  readonly #closed = new AbortController()
  readonly #replays: ReplayControl
  #lastAnswer: Promise<void> = Promise.resolve()
  #badFrames = 0

  constructor(deps: ConnectionDeps, { id, writer, caller }: { id: string; writer: SocketWriter; caller: Caller }) {
    this.#deps = deps
    this.id = id
    this.writer = writer
    this.caller = caller
    const { hub, nowMs } = deps
    this.#subscriptions = new Subscriptions({ hub, caller, outlet: writer, nowMs })
    this.#replays = new ReplayControl({ ...deps, caller, writer })
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
    if (!this.#rate.take('frames', FRAME_RATE).isAllowed) {
      this.#refuse(
        new ApiError('rate_limited', `A client may send ${FRAMES_PER_SECOND} frames per second. Send fewer.`),
        idIn(text),
      )
      return
    }
    let frame: ClientFrame
    try {
      frame = readFrame(text)
    } catch (error) {
      this.#refuse(error, idIn(text))
      return
    }
    if (frame.op === 'ping') {
      this.writer.sendFrame({ type: 'pong', id: frame.id, server_time: this.#deps.nowMs() })
      return
    }
    // In order, because a frame may depend on those before it.
    this.#lastAnswer = this.#lastAnswer.then(() => this.#answerFrame(frame))
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
      const ack = await this.#execute(frame)
      if (ack !== undefined) this.writer.sendFrame(ack)
    } catch (error) {
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
        return this.#subscribe(frame)
      case 'unsubscribe':
        return this.#unsubscribe(frame)
      case 'replay':
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
    for (const selector of frame.selectors) {
      const found = await resolveNow(this.#deps.selectors, selector, this.caller)
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
        accepted.push({ selector, channel, markets, ...(matchedBy && { matched_by: matchedBy }) })
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
        isWanted: (stream: MarketStream) => this.#subscriptions.has(stream),
        isFull: () => writer.isFull,
        untilRead: (signal: AbortSignal) => writer.untilRead(signal),
      }
      resumeStreams(deps, frame, begun, this.#closed.signal)
    }
    return undefined
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
    if (++this.#badFrames <= MAX_BAD_FRAMES) return
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
