import { setTimeout as sleep } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'

export interface FollowerOptions {
  readonly url: string
  readonly key: string
  readonly markets: readonly string[]
  /** Silence after which the connection counts as dead; default 6 s. */
  readonly silentMs?: number
  /** The loopback address that it connects from. */
  readonly localAddress?: string
}

export interface ToldGap {
  readonly market: string
  readonly fromSeq: number
  readonly toSeq: number
  readonly kind: string
  readonly cause: string | null
}

/** Missing slots without a gap frame. */
export interface SilentSkip {
  readonly market: string
  readonly after: number
  readonly before: number
}

export interface Resumption {
  /** From the end of one connection to the first book of the next. */
  readonly awayMs: number
  /** From the subscription to the first book. */
  readonly answerMs: number
}

interface Heard {
  /** Every slot with a book, in order of arrival. */
  readonly seqs: number[]
  last: number | undefined
  /** Gaps on this connection since the last book; they count only when the next book has arrived. */
  pending: ToldGap[]
  explainedTo: number
}

// biome-ignore lint/suspicious/noExplicitAny: frames are read by key, as a client without the SDK would.
type AnyFrame = any

const QUIET_MS = 2_500
const SILENT_MS = 6_000
const LOOK_EVERY_MS = 500
const PAUSE_MS = 150
const LONGEST_PAUSE_MS = 1_500

/**
 * Follows the books of some markets over reconnects, using only the documented protocol: it resumes from the last
 * received slot of each market. Counts repeated and missing slots.
 */
export class StreamFollower {
  readonly markets: readonly string[]
  readonly gaps: ToldGap[] = []
  readonly silent: SilentSkip[] = []
  readonly resumptions: Resumption[] = []
  /** Reasons of rejected selectors and closed connections. */
  readonly refusals = new Map<string, number>()
  connections = 0
  twice = 0
  /** Slots that the server skipped because this client was too slow. */
  skipped = 0
  frames = 0
  readonly #options: FollowerOptions
  readonly #heard: Map<string, Heard>
  readonly #ended = new Set<string>()
  readonly #over = new AbortController()
  #heardAtMs = 0
  #lostAtMs: number | undefined
  #askedAtMs: number | undefined
  #failures = 0

  constructor(options: FollowerOptions) {
    this.#options = options
    this.markets = options.markets
    this.#heard = new Map(
      options.markets.map((market) => [market, { seqs: [], last: undefined, pending: [], explainedTo: 0 }]),
    )
  }

  seqsOf(market: string): readonly number[] {
    return this.#heard.get(market)?.seqs ?? []
  }

  /** Markets announced as ended, live or when resuming. */
  get ended(): ReadonlySet<string> {
    return this.#ended
  }

  get #silentMs(): number {
    return this.#options.silentMs ?? SILENT_MS
  }

  /** Reconnects until it is stopped. */
  async run(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      await this.#connection(signal)
      this.#lostAtMs ??= performance.now()
      const pauseMs = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** this.#failures++) * (0.5 + Math.random())
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  stop(): void {
    this.#over.abort()
  }

  #connection(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = new WebSocket(this.#options.url, {
      headers: { 'x-api-key': this.#options.key },
      perMessageDeflate: false,
      handshakeTimeout: this.#silentMs,
      ...(this.#options.localAddress !== undefined && { localAddress: this.#options.localAddress }),
    })
    const end = (): void => socket.terminate()
    signal.addEventListener('abort', end, { once: true })
    this.#heardAtMs = performance.now()
    const watch = setInterval(() => this.#look(socket), LOOK_EVERY_MS)
    socket.on('error', (error) => this.#note(error.message))
    socket.on('message', (data: RawData) => {
      if (Buffer.isBuffer(data)) this.#receive(socket, JSON.parse(data.toString()))
    })
    socket.on('close', () => {
      clearInterval(watch)
      signal.removeEventListener('abort', end)
      resolve()
    })
    return promise
  }

  /** Pings a silent connection. */
  #look(socket: WebSocket): void {
    const quietMs = performance.now() - this.#heardAtMs
    if (quietMs > this.#silentMs) socket.terminate()
    else if (quietMs > QUIET_MS && socket.readyState === WebSocket.OPEN) {
      socket.send(JSON.stringify({ id: 'alive', op: 'ping' }))
    }
  }

  #receive(socket: WebSocket, frame: AnyFrame): void {
    this.#heardAtMs = performance.now()
    const heard = this.#heard.get(frame.market)
    if (frame.type === 'welcome') this.#ask(socket)
    else if (frame.type === 'resolved') this.#ended.add(frame.market)
    else if (frame.type === 'ack') this.#answered(socket, frame)
    else if (frame.type === 'closing') this.#note(`closing ${frame.code}`)
    else if (frame.type === 'error') {
      this.#note(`error ${frame.code}`)
      socket.terminate()
    } else if (heard !== undefined && frame.channel === 'book') this.#book(heard, frame)
  }

  #ask(socket: WebSocket): void {
    this.connections++
    this.#askedAtMs = performance.now()
    const wanted = this.markets.filter((market) => !this.#ended.has(market))
    if (wanted.length === 0) return
    const since: Record<string, number> = {}
    for (const market of wanted) {
      const heard = this.#heard.get(market)
      if (heard === undefined) continue
      heard.pending = []
      heard.explainedTo = heard.last ?? 0
      if (heard.last !== undefined) since[market] = heard.last
    }
    const what = {
      selectors: wanted.map((market) => ({ market })),
      channels: ['book', 'market'],
      options: { depth: 1 },
    }
    const isNew = Object.keys(since).length === 0
    socket.send(JSON.stringify({ id: 1, ...(isNew ? { op: 'subscribe' } : { op: 'resume', since }), ...what }))
  }

  #answered(socket: WebSocket, { rejected = [] }: AnyFrame): void {
    for (const { selector, reason } of rejected) {
      this.#note(`rejected ${reason}`)
      if (reason === 'market_closed') this.#ended.add(selector.market)
      else socket.terminate()
    }
  }

  #book(heard: Heard, frame: AnyFrame): void {
    const { market, type } = frame
    if (type === 'gap' || type === 'skipped') {
      if (type === 'skipped') this.skipped += frame.frames
      else {
        const { from_seq: fromSeq, to_seq: toSeq, kind, cause } = frame
        heard.pending.push({ market, fromSeq, toSeq, kind, cause })
      }
      const isNext = frame.kind !== 'suspect' && frame.from_seq <= heard.explainedTo + 1
      if (isNext) heard.explainedTo = Math.max(heard.explainedTo, frame.to_seq)
      return
    }
    this.frames++
    this.#cameBack()
    const { seq } = frame
    if (heard.last !== undefined && seq <= heard.last) {
      this.twice++
      return
    }
    if (heard.last !== undefined && seq > heard.explainedTo + 1) {
      this.silent.push({ market, after: heard.last, before: seq })
    }
    this.gaps.push(...heard.pending)
    heard.pending = []
    heard.seqs.push(seq)
    heard.last = seq
    heard.explainedTo = seq
  }

  #cameBack(): void {
    this.#failures = 0
    const nowMs = performance.now()
    if (this.#lostAtMs !== undefined && this.#askedAtMs !== undefined) {
      this.resumptions.push({ awayMs: nowMs - this.#lostAtMs, answerMs: nowMs - this.#askedAtMs })
    }
    this.#lostAtMs = undefined
    this.#askedAtMs = undefined
  }

  #note(words: string): void {
    this.refusals.set(words, (this.refusals.get(words) ?? 0) + 1)
  }
}
