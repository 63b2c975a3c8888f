import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import type { GapCause } from '../domain/rows/gap.ts'
import { type BackOff, retryAfterMs } from './back-off.ts'
import type { FeedOptions } from './feed-options.ts'
import { USER_AGENT } from './user-agent.ts'

export interface SessionEnd {
  wasOpened: boolean
  cause: GapCause
  detail: string
  retryAfterMs: number
}

const HANDSHAKE_LIMIT_MS = 10_000
const CHECKS_PER_LIMIT = 10
const LONGEST_WATCH_MS = 1_000

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
  #wasOpened = false
  #wasSubscribed = false
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
      headers: { 'user-agent': USER_AGENT },
    })
    this.#socket.on('open', () => this.#guard(() => this.#open()))
    this.#socket.on('message', (data: Buffer, isBinary) => this.#guard(() => this.#read(data, isBinary)))
    this.#socket.on('unexpected-response', (_request, response) => this.#refuse(response))
    this.#socket.on('error', (error) => {
      this.#error = error.message
    })
    // Every close code leads to a reconnect: a clean 1000 loses data just as 1006 does.
    this.#socket.on('close', (code, reason) => {
      this.end('disconnected', [`closed with ${code}`, reason.toString(), this.#error].filter(Boolean).join(': '))
    })
  }

  end(cause: GapCause, detail: string, waitMs = 0): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
    this.#resolve({ wasOpened: this.#wasOpened, cause, detail, retryAfterMs: waitMs })
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

  refreshed(ids: readonly string[]): void {
    if (!this.#wasSubscribed) return
    this.#send(this.#options.unsubscribeFrames(ids))
    this.#send(this.#options.subscribeFrames(ids, false))
  }

  restarted(detail: string): void {
    this.end('resync', detail)
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
    owner.opened()
    if (!subscriptions.isEmpty) this.added(subscriptions.ids)
    const { heartbeat, silenceLimitMs } = rules
    const watchMs = Math.min(
      LONGEST_WATCH_MS,
      Math.min(silenceLimitMs, heartbeat?.answerWithinMs ?? silenceLimitMs) / CHECKS_PER_LIMIT,
    )
    this.#timers.push(setInterval(() => this.#guard(() => this.#watch()), watchMs))
    if (heartbeat === undefined) return
    const ping = (): void => {
      this.#pingedAtMs ??= nowMs()
      this.#send([heartbeat.frame])
    }
    this.#timers.push(setInterval(ping, heartbeat.everyMs))
  }

  #watch(): void {
    const { rules, subscriptions, nowMs } = this.#options
    const limitMs = rules.heartbeat?.answerWithinMs ?? Number.POSITIVE_INFINITY
    if (this.#pingedAtMs !== undefined && nowMs() - this.#pingedAtMs > limitMs)
      return this.end('disconnected', `no answer to a ping within ${limitMs} ms`)
    if (subscriptions.isEmpty) this.#dataAtMs = nowMs()
    if (nowMs() - this.#dataAtMs > rules.silenceLimitMs)
      this.end('venue_silent', `no data for ${rules.silenceLimitMs} ms`)
  }

  #read(data: Buffer, isBinary: boolean): void {
    if (isBinary) return
    const { rules, owner, ring, nowMs } = this.#options
    const receivedAtMs = nowMs()
    const text = data.toString()
    ring.keep(data, receivedAtMs)
    if (text === rules.heartbeat?.answer) {
      this.#pingedAtMs = undefined
      return
    }
    if (!owner.frame(text, receivedAtMs)) return
    this.#dataAtMs = receivedAtMs
    this.#backOff.reset()
  }

  #refuse(response: IncomingMessage): void {
    const { statusCode = 0, headers } = response
    const waitMs = retryAfterMs(headers['retry-after'], Date.now())
    response.resume()
    this.end('disconnected', `refused with ${statusCode}`, statusCode === 429 || statusCode === 503 ? waitMs : 0)
  }

  #send(frames: readonly string[]): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    for (const frame of frames) this.#socket.send(frame)
  }
}
