import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { wallClock } from '../domain/clock.ts'
import type { GapCause } from '../domain/rows/gap.ts'
import { type BackOff, retryAfterMs } from './back-off.ts'
import type { Closing, FeedOptions } from './feed-options.ts'
import { USER_AGENT } from './user-agent.ts'

export interface SessionEnd {
  wasOpened: boolean
  cause: GapCause
  detail: string
  retryAfterMs: number
  closing?: Closing
}

const HANDSHAKE_LIMIT_MS = 10_000
const CHECKS_PER_LIMIT = 10
const LONGEST_WATCH_MS = 1_000
/** Sent back to back, unsubscribe and subscribe may bring no book; 200 ms apart they do. */
const REFRESH_PAUSE_MS = 250
const LONGEST_REFRESH_PAUSE_MS = 4_000
/** A notice that comes later than this after a subscribe does not answer it. */
const NOTICE_WITHIN_MS = 2_000
const LONGEST_NOTICE = 40

/** Runs one socket from opening to end. A lost socket is a result, not an error. */
export async function runSession(options: FeedOptions, signal: AbortSignal, backOff: BackOff): Promise<SessionEnd> {
  const session = new Session(options, backOff)
  const abort = (): void => session.end('disconnected', 'the process is stopping')
  signal.addEventListener('abort', abort, { once: true })
  options.subscriptions.listen(session)
  try {
    return await session.ended
  } finally {
    options.subscriptions.listen(undefined)
    signal.removeEventListener('abort', abort)
  }
}

class Session {
  readonly ended: Promise<SessionEnd>
  readonly #options: FeedOptions
  readonly #backOff: BackOff
  readonly #socket: WebSocket
  readonly #resolve: (end: SessionEnd) => void
  readonly #reject: (error: unknown) => void
  #timers: NodeJS.Timeout[] = []
  readonly #refreshes = new Map<string, NodeJS.Timeout>()
  #lastRefresh: { ids: readonly string[]; atMs: number } | undefined
  #refreshPauseMs = REFRESH_PAUSE_MS
  #wasOpened = false
  #wasSubscribed = false
  #hasEnded = false
  #dataAtMs = 0
  #pingedAtMs: number | undefined
  #error = ''

  constructor(options: FeedOptions, backOff: BackOff) {
    this.#options = options
    this.#backOff = backOff
    const { promise, resolve, reject } = Promise.withResolvers<SessionEnd>()
    this.ended = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#socket = new WebSocket(options.rules.url, {
      perMessageDeflate: false,
      maxPayload: options.rules.maxFrameBytes,
      handshakeTimeout: HANDSHAKE_LIMIT_MS,
      headers: { 'user-agent': USER_AGENT, ...options.rules.headers?.() },
    })
    this.#socket.on('open', () => this.#guard(() => this.#open()))
    this.#socket.on('message', (data: Buffer, isBinary) => this.#guard(() => this.#read(data, isBinary)))
    this.#socket.on('pong', () => this.#answered(options.nowMs()))
    this.#socket.on('unexpected-response', (_request, response) => this.#refuse(response))
    this.#socket.on('error', (error) => {
      this.#error = error.message
    })
    // Every close code leads to a reconnect: a clean 1000 loses data just as 1006 does.
    this.#socket.on('close', (code, reason) => {
      const closing = { code, reason: reason.toString() }
      const detail = [`closed with ${code}`, closing.reason, this.#error].filter(Boolean).join(': ')
      this.end('disconnected', detail, { closing })
    })
  }

  end(cause: GapCause, detail: string, more: { retryAfterMs?: number; closing?: Closing } = {}): void {
    if (this.#wasOpened && !this.#hasEnded)
      this.#options.record?.('closed', JSON.stringify({ cause, detail }), this.#options.nowMs())
    this.#hasEnded = true
    for (const timer of [...this.#timers, ...this.#refreshes.values()]) clearInterval(timer)
    this.#timers = []
    this.#refreshes.clear()
    this.#resolve({ wasOpened: this.#wasOpened, cause, detail, retryAfterMs: 0, ...more })
    // A half-open connection never answers a close frame.
    this.#socket.removeAllListeners('message')
    this.#socket.terminate()
  }

  added(ids: readonly string[]): void {
    if (!this.#wasOpened) return
    this.#send(this.#options.subscribeFrames(ids, !this.#wasSubscribed))
    this.#wasSubscribed = true
  }

  removed(ids: readonly string[]): void {
    if (this.#wasSubscribed) this.#send(this.#options.unsubscribeFrames(ids))
  }

  refreshed(asked: readonly string[]): void {
    const ids = asked.filter((id) => !this.#refreshes.has(id))
    if (!this.#wasSubscribed || ids.length === 0) return
    this.#send(this.#options.unsubscribeFrames(ids))
    const timer = setTimeout(() => this.#guard(() => this.#subscribeAgain(ids)), this.#refreshPauseMs)
    for (const id of ids) this.#refreshes.set(id, timer)
  }

  #subscribeAgain(ids: readonly string[]): void {
    const { subscriptions, nowMs } = this.#options
    for (const id of ids) this.#refreshes.delete(id)
    const wanted = ids.filter((id) => subscriptions.has(id))
    if (wanted.length === 0) return
    this.#send(this.#options.subscribeFrames(wanted, false))
    this.#lastRefresh = { ids: wanted, atMs: nowMs() }
  }

  #notice(notice: string): void {
    const { rules, owner, nowMs } = this.#options
    owner.noticed?.(notice)
    const last = this.#lastRefresh
    if (notice !== rules.nothingNew || last === undefined || nowMs() - last.atMs > NOTICE_WITHIN_MS) return
    // The venue had not unsubscribed these ids yet: the pause was too short.
    this.#lastRefresh = undefined
    this.#refreshPauseMs = Math.min(LONGEST_REFRESH_PAUSE_MS, this.#refreshPauseMs * 2)
    this.refreshed(last.ids)
  }

  /** A bug in our own code must reject, not look like a disconnect by the venue. */
  #guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#reject(error)
      this.end('disconnected', 'bug in this process')
    }
  }

  #open(): void {
    const { rules, owner, subscriptions, nowMs } = this.#options
    this.#wasOpened = true
    this.#dataAtMs = nowMs()
    this.#options.record?.('opened', rules.url, this.#dataAtMs)
    owner.opened()
    if (!subscriptions.isEmpty) this.added(subscriptions.ids)
    const { heartbeat, silenceLimitMs = Number.POSITIVE_INFINITY } = rules
    const watchMs = Math.min(
      LONGEST_WATCH_MS,
      Math.min(silenceLimitMs, heartbeat?.answerWithinMs ?? silenceLimitMs) / CHECKS_PER_LIMIT,
    )
    this.#timers.push(setInterval(() => this.#guard(() => this.#watch()), watchMs))
    if (heartbeat === undefined) return
    const ping = (): void => {
      if (heartbeat.answerWithinMs !== undefined) this.#pingedAtMs ??= nowMs()
      if (heartbeat.frame !== undefined) this.#send([heartbeat.frame])
      else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping()
    }
    this.#timers.push(setInterval(ping, heartbeat.everyMs))
  }

  #watch(): void {
    const { rules, subscriptions, nowMs } = this.#options
    const limitMs = rules.heartbeat?.answerWithinMs ?? Number.POSITIVE_INFINITY
    if (this.#pingedAtMs !== undefined && nowMs() - this.#pingedAtMs > limitMs)
      return this.end('disconnected', `no answer to a ping within ${limitMs} ms`)
    if (subscriptions.isEmpty) this.#dataAtMs = nowMs()
    const { silenceLimitMs = Number.POSITIVE_INFINITY } = rules
    if (nowMs() - this.#dataAtMs > silenceLimitMs) this.end('venue_silent', `no data for ${silenceLimitMs} ms`)
  }

  #read(data: Buffer, isBinary: boolean): void {
    if (isBinary) return
    const { rules, owner, ring, nowMs } = this.#options
    const receivedAtMs = nowMs()
    const text = data.toString()
    owner.beforeFrame?.()
    ring.keep(data, receivedAtMs)
    this.#options.record?.('frame', data, receivedAtMs)
    if (text === rules.heartbeat?.answer) return this.#answered(receivedAtMs)
    const notice = text.length <= LONGEST_NOTICE ? text.trimEnd() : ''
    if (rules.notices?.includes(notice)) return this.#notice(notice)
    const outcome = owner.frame(text, receivedAtMs)
    if (outcome === 'no_data') return
    if (outcome !== 'data') return this.end(outcome.cause, outcome.detail)
    this.#dataAtMs = receivedAtMs
    this.#backOff.reset()
  }

  #answered(atMs: number): void {
    if (this.#pingedAtMs !== undefined) this.#options.owner.answered?.(atMs - this.#pingedAtMs)
    this.#pingedAtMs = undefined
  }

  #refuse(response: IncomingMessage): void {
    const { statusCode = 0, headers } = response
    const waitMs = retryAfterMs(headers['retry-after'], wallClock())
    response.resume()
    this.end('disconnected', `refused with ${statusCode}`, {
      retryAfterMs: statusCode === 429 || statusCode === 503 ? waitMs : 0,
    })
  }

  #send(frames: readonly string[]): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    for (const frame of frames) this.#socket.send(frame)
  }
}
