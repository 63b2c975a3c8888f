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
type Asking<Op extends ClientFrame['op']> = Extract<ClientFrame, { op: Op }>

const FRAMES_PER_SECOND = 20
const FRAME_RATE = { rpm: FRAMES_PER_SECOND * 60, burst: 40 }
/** So many frames that can't be understood, or that come too fast, are no accident. */
const MOST_BAD_FRAMES = 20

/** One client, from welcome to the end: what it asked for, and what it is told. */
export class Connection {
  readonly id: string
  readonly wire: SocketWriter
  readonly caller: Caller
  readonly #deps: ConnectionDeps
  readonly #subscriptions: Subscriptions
  readonly #rate = new LocalLimit({ nowMs: () => performance.now(), mostEntries: 1 })
  readonly #over = new AbortController()
  readonly #replays: ReplayControl
  #turn: Promise<void> = Promise.resolve()
  #badFrames = 0

  constructor(deps: ConnectionDeps, { id, wire, caller }: { id: string; wire: SocketWriter; caller: Caller }) {
    this.#deps = deps
    this.id = id
    this.wire = wire
    this.caller = caller
    const { hub, nowMs } = deps
    this.#subscriptions = new Subscriptions({ hub, caller, outlet: wire, nowMs })
    this.#replays = new ReplayControl({ ...deps, caller, wire })
  }

  welcome(): void {
    const { id: connection, caller } = this
    const server_time = this.#deps.nowMs()
    this.wire.say({ type: 'welcome', connection, tier: caller.tier, limits: this.#limits, server_time })
  }

  get isReplaying(): boolean {
    return this.#replays.isRunning
  }

  /** Whether it wants to know how the service is. */
  get wantsStatus(): boolean {
    return [...this.#subscriptions.streams].some(({ channel }) => channel === 'status')
  }

  receive(text: string): void {
    if (!this.#rate.take('frames', FRAME_RATE).isAllowed) {
      this.#refuse(new ApiError('rate_limited', `More than ${FRAMES_PER_SECOND} frames a second.`), idIn(text))
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
      this.wire.say({ type: 'pong', id: frame.id, server_time: this.#deps.nowMs() })
      return
    }
    // One after the other: what a frame means depends on those before it.
    this.#turn = this.#turn.then(() => this.#answer(frame))
  }

  moveOn(currently: CurrentMarkets): void {
    this.#subscriptions.moveOn(currently)
  }

  ended(marketId: string): void {
    this.#subscriptions.ended(marketId)
  }

  /** The reader has caught up with what was sent. */
  drained(): void {
    const nowMs = this.#deps.nowMs()
    for (const stream of this.#subscriptions.streams) if (!this.wire.isFull) stream.drained?.(nowMs)
  }

  /** Lets go of everything; the socket is somebody else's. */
  end(): void {
    this.#over.abort()
    this.#replays.end()
    this.#subscriptions.leave(undefined, undefined)
  }

  async #answer(frame: Exclude<ClientFrame, { op: 'ping' }>): Promise<void> {
    if (this.#over.signal.aborted) return
    try {
      const ack = await this.#do(frame)
      if (ack !== undefined) this.wire.say(ack)
    } catch (error) {
      const fault = streamErrorOf(error)
      if (fault.code === 'internal') this.#deps.onTrouble(error)
      this.wire.say({ type: 'error', id: frame.id, code: fault.code, message: fault.message })
    }
  }

  async #do(frame: Exclude<ClientFrame, { op: 'ping' }>): Promise<Ack | undefined> {
    switch (frame.op) {
      case 'auth':
        throw new ApiError('invalid_request', 'This connection is authenticated already.')
      case 'subscribe':
      case 'resume':
        return this.#subscribe(frame)
      case 'unsubscribe':
        return this.#unsubscribe(frame)
      case 'replay':
        if (this.#subscriptions.used === 0) return this.#replays.start(frame)
        return this.#busy(frame.id, 'This connection is live; unsubscribe first or use another one.')
      default:
        return this.#replays.steer(frame)
    }
  }

  async #subscribe(frame: Asking<'subscribe'> | Asking<'resume'>): Promise<Ack | undefined> {
    if (this.isReplaying) return this.#busy(frame.id, 'A replay is running; stop it or use another connection.')
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
        accepted.push({ selector, channel, markets: streams.map(({ market }) => market.name) })
      }
    }
    // Before the first frame: a client that knows what it has can make sense of it.
    this.wire.say({ type: 'ack', id: frame.id, op: frame.op, accepted, rejected, limits: this.#limits })
    if (frame.op === 'subscribe') for (const stream of begun) this.#begin(stream)
    else {
      const { wire } = this
      const deps = {
        ...this.#deps,
        begin: (stream: MarketStream) => this.#begin(stream),
        isWanted: (stream: MarketStream) => this.#subscriptions.has(stream),
        isFull: () => wire.isFull,
        untilRead: (signal: AbortSignal) => wire.untilRead(signal),
      }
      resumeStreams(deps, frame, begun, this.#over.signal)
    }
    return undefined
  }

  #begin(stream: MarketStream): void {
    this.#deps.hub.add(stream)
    const dark = this.#deps.hub.known(stream.market.id)?.dark
    if (stream.channel !== 'status' || dark === undefined) return
    const nowMs = this.#deps.nowMs()
    const words = { since_seq: dark.sinceSeq, cause: dark.cause, at: nowMs, sent_at: nowMs }
    stream.notice?.(JSON.stringify({ channel: 'status', type: 'dark', market: stream.market.name, ...words }))
  }

  #unsubscribe({ id, op, selectors, channels }: Asking<'unsubscribe'>): Ack {
    const left = this.#subscriptions.leave(selectors, channels)
    const keys = new Set(left.map(({ key }) => key))
    const unknown = (selectors ?? []).filter((selector: Selector) => !keys.has(JSON.stringify(selector)))
    const words = { reason: 'not_subscribed', message: 'Nothing was subscribed with exactly this selector.' }
    return {
      type: 'ack',
      id,
      op,
      accepted: left.map(({ selector, channel }) => ({ selector, channel, markets: [] })),
      rejected: unknown.map((selector) => ({ selector, ...words })),
      limits: this.#limits,
    }
  }

  /** One bad frame is an answer, many are the end. */
  #refuse(error: unknown, id: string | number | undefined): void {
    const { code, message } = streamErrorOf(error)
    this.wire.say({ type: 'error', ...(id !== undefined && { id }), code, message })
    if (++this.#badFrames <= MOST_BAD_FRAMES) return
    const words = 'Too many frames that are unreadable or too fast.'
    this.wire.close(CLOSE_CODES.abusive, code, { type: 'closing', code, message: words, reconnect: false })
  }

  #busy(id: string | number, message: string): undefined {
    this.wire.say({ type: 'error', id, code: 'busy', message })
  }

  get #limits() {
    const { most: subscriptions, used } = this.#subscriptions
    return { subscriptions, used, messages_per_second: FRAMES_PER_SECOND }
  }
}
