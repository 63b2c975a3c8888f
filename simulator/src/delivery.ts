import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { FRAME_FAULT_NAMES, FRAME_FAULTS } from './faults/frame-faults.ts'
import type { Feed, Switchboard } from './faults/switchboard.ts'
import { type DeliveryLimits, PacedQueue } from './paced-queue.ts'

/** A socket that has not sent everything for so long is late; a stall is shorter. */
const LATE_MS = 8_000
const NOTED_EVERY_MS = 5_000

/** So fast that nothing ever waits, except while a socket stalls. */
const UNLIMITED: DeliveryLimits = {
  framesPerSecond: 1e12,
  bytesPerSecond: 1e12,
  maxQueuedFrames: 1e12,
  maxQueuedBytes: 1e12,
}

/** Text, or a frame that is already in the bytes of the protocol. */
type QueuedFrame = string | Buffer

interface DeliveryOptions {
  limits?: DeliveryLimits | undefined
  /** The frames that are sent instead of one, because a rule is broken. */
  change?: ((text: string) => string[]) | undefined
}

/** What a feed uses of its connection to a client, which need not be a socket. */
export type Client = Pick<Delivery, 'id' | 'onText' | 'onClose' | 'send' | 'reply' | 'close' | 'ping' | 'marketsOf'>

/** Sends frames to one client and applies the active faults to them. */
export class Delivery {
  readonly id: string
  readonly feed: Feed
  readonly #socket: WebSocket
  readonly #stream: Duplex
  readonly #faults: Switchboard
  readonly #change: DeliveryOptions['change']
  #frozen: string[] = []
  #delayed: string[] = []
  /** Frames in the bytes of the protocol, which one write sends together. */
  #gathered: Buffer[] = []
  #isCorked = false
  readonly #queue: PacedQueue<QueuedFrame>
  #latenessNotedAtMs = Number.NEGATIVE_INFINITY
  #closeWhenSent: { code: number; reason: string } | undefined
  /** The markets that the client follows on this connection now. */
  marketsOf: () => readonly string[] = () => []
  framesSent = 0
  /** Real time. */
  lastSentAtMs = performance.now()

  constructor(
    id: string,
    feed: Feed,
    socket: WebSocket,
    stream: Duplex,
    faults: Switchboard,
    { limits = UNLIMITED, change }: DeliveryOptions = {},
  ) {
    this.id = id
    this.feed = feed
    this.#socket = socket
    this.#stream = stream
    this.#faults = faults
    this.#change = change
    this.#queue = new PacedQueue(limits, (frame) => this.#write(frame))
    // A client that disconnects is not an error; the close event follows.
    socket.on('error', () => {})
    socket.on('ping', (body: Buffer) => {
      if (!this.#isHalfOpen()) socket.pong(body)
    })
  }

  onText(handle: (text: string) => void): void {
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) handle(data.toString())
    })
  }

  onClose(take: () => void): void {
    this.#socket.once('close', take)
  }

  /** Sends a data frame; `market` is the market that it is about, if it is only one. */
  send(text: string, market?: string): void {
    // A frame that `reorder` holds back is sent after the next one, also if the fault is over by then.
    if (this.#faults.isQuiet && this.#delayed.length === 0) this.#put(text)
    else for (const changed of this.#withFaults(text, market)) this.#putInTime(changed, market)
  }

  /** Sends a frame that is already in the bytes of the protocol; no fault changes it. */
  sendWritten(frame: Buffer): void {
    this.#queueUp(frame)
  }

  #putInTime(text: string, market: string | undefined): void {
    const late = this.#faults.find('late', this.#occasion(market))
    if (late === undefined) this.#put(text)
    else setTimeout(() => this.#put(text), late.options.ms)
  }

  /** Replies to a ping or a request; most faults do not apply to replies. */
  reply(text: string): void {
    if (!this.#faults.isQuiet && this.#faults.strike('half-open', this.#occasion(undefined))) return
    this.#put(text)
  }

  /** Closes after everything that waits has been sent. */
  finish(code: number, reason: string): void {
    this.#closeWhenSent = { code, reason }
    this.sendWaiting()
  }

  close(code: number, reason: string): void {
    if (code === 1006) this.#socket.terminate()
    else this.#socket.close(code, reason)
  }

  ping(body = ''): void {
    if (this.#socket.readyState === this.#socket.OPEN && !this.#isHalfOpen()) this.#socket.ping(body)
  }

  #isHalfOpen(): boolean {
    return !this.#faults.isQuiet && this.#faults.find('half-open', this.#occasion(undefined)) !== undefined
  }

  /** Sends all frames that the fault `freeze` has held back. */
  releaseFrozen(): void {
    const held = this.#frozen
    this.#frozen = []
    for (const text of held) this.#put(text)
  }

  /** Frames between cork and uncork are sent in one write. */
  cork(): void {
    this.#isCorked = true
    this.#stream.cork()
  }

  uncork(): void {
    this.#isCorked = false
    this.#writeGathered()
    this.#stream.uncork()
  }

  /** Delivers nothing for a while; what is sent meanwhile waits. */
  stall(durationMs: number): void {
    this.#queue.stall(durationMs)
  }

  /** Sends what the limits of the socket allow by now. */
  sendWaiting(): void {
    this.#queue.drain()
    this.#noteLateness()
    if (this.#closeWhenSent === undefined || this.#queue.length > 0) return
    this.close(this.#closeWhenSent.code, this.#closeWhenSent.reason)
  }

  /** The oracle knows when a socket is late, also if it is not closed for it. */
  #noteLateness(): void {
    const lateMs = this.#queue.waitingMs
    if (lateMs < LATE_MS || performance.now() - this.#latenessNotedAtMs < NOTED_EVERY_MS) return
    this.#latenessNotedAtMs = performance.now()
    const detail = `frames wait since ${Math.round(lateMs / 1_000)} s`
    this.#faults.note('delivery-limits', { connection: this.id, markets: this.marketsOf(), detail })
  }

  #put(text: string): void {
    if (this.#change === undefined) this.#queueUp(text)
    else for (const changed of this.#change(text)) this.#queueUp(changed)
  }

  #queueUp(frame: QueuedFrame): void {
    if (this.#socket.readyState !== this.#socket.OPEN || this.#queue.put(frame)) return
    this.#faults.note('delivery-limits', {
      connection: this.id,
      markets: this.marketsOf(),
      detail: 'closed with 1013',
    })
    this.close(1013, 'slow consumer: send buffer full')
  }

  #write(frame: QueuedFrame): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.framesSent++
    this.lastSentAtMs = performance.now()
    if (typeof frame !== 'string') this.#gathered.push(frame)
    if (typeof frame === 'string' || !this.#isCorked) this.#writeGathered()
    if (typeof frame === 'string') this.#socket.send(frame)
  }

  #writeGathered(): void {
    if (this.#gathered.length === 0) return
    if (this.#socket.readyState === this.#socket.OPEN) this.#stream.write(Buffer.concat(this.#gathered))
    this.#gathered = []
  }

  #occasion(market: string | undefined): { feed: Feed; connection: string; market: string | undefined } {
    return { feed: this.feed, connection: this.id, market }
  }

  #withFaults(text: string, market: string | undefined): string[] {
    const occasion = this.#occasion(market)
    if (this.#faults.strike('mute', occasion) || this.#faults.strike('half-open', occasion)) return []
    if (this.#faults.strike('freeze', occasion)) {
      this.#frozen.push(text)
      return []
    }
    let frames = [text]
    for (const name of FRAME_FAULT_NAMES) {
      if (this.#faults.strike(name, occasion)) {
        frames = frames.flatMap((frame) => FRAME_FAULTS[name](frame, this.#faults.draw))
      }
    }
    if (this.#delayed.length > 0) {
      frames.push(...this.#delayed)
      this.#delayed = []
    } else if (this.#faults.strike('reorder', occasion)) {
      this.#delayed = frames
      return []
    }
    return frames
  }
}
