import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { Delivery } from './delivery.ts'
import { brokenFrames } from './faults/broken-frames.ts'
import type { FaultName } from './faults/fault-list.ts'
import type { ActiveFault, Feed, Switchboard } from './faults/switchboard.ts'
import type { DeliveryLimits } from './paced-queue.ts'
import { stallTimes } from './stall-times.ts'
import type { Behaviour } from './world/behaviours.ts'
import type { BrokenRule } from './world/broken-rules.ts'

/** Measured: 2,100 frames/s on one socket end it within 40 s, 350 frames/s lag by 2 s, 90 frames/s by 0.1 s. */
const MARKET_SOCKET_LIMITS: DeliveryLimits = {
  framesPerSecond: 400,
  bytesPerSecond: 256 * 1024,
  maxQueuedFrames: 40_000,
  maxQueuedBytes: 24 * 1024 * 1024,
}

const ACT_ONCE: ReadonlySet<FaultName> = new Set([
  'disconnect',
  'slow-consumer',
  'stall',
  'server-shutdown',
  'buffer-overflow',
])

export interface SocketEndpoint {
  feed: Feed
  isPath(path: string): boolean
  /** Why a client is not let in, by the headers of its handshake; undefined if it is. */
  refusal?(headers: IncomingHttpHeaders): Refusal | undefined
  accept(delivery: Delivery, address: URL): void
}

interface Refusal {
  status: number
  body?: string
}

interface SocketOptions {
  seed: string
  behaviours?: readonly Behaviour[]
  broken?: readonly BrokenRule[]
  deliveryLimits?: DeliveryLimits
  stallsPerSecond?: number
}

/** All open sockets of all feeds, and the faults that affect a whole socket. */
export class Sockets {
  readonly deliveries = new Set<Delivery>()
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 4 * 1024 * 1024,
    // A socket that is half-open answers no ping.
    autoPong: false,
  })
  readonly #endpoints: readonly SocketEndpoint[]
  readonly #faults: Switchboard
  readonly #behaviours: ReadonlySet<Behaviour>
  readonly #broken: ReadonlySet<BrokenRule>
  readonly #seed: string
  readonly #limits: DeliveryLimits
  readonly #stallsPerSecond: number | undefined
  #count = 0

  constructor(
    http: Server,
    endpoints: readonly SocketEndpoint[],
    faults: Switchboard,
    { seed, behaviours = [], broken = [], deliveryLimits = MARKET_SOCKET_LIMITS, stallsPerSecond }: SocketOptions,
  ) {
    this.#endpoints = endpoints
    this.#faults = faults
    this.#seed = seed
    this.#behaviours = new Set(behaviours)
    this.#broken = new Set(broken)
    this.#limits = deliveryLimits
    this.#stallsPerSecond = stallsPerSecond
    http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => this.#upgrade(request, stream, head))
    faults.onSwitch((fault, isOn) => this.#onSwitch(fault, isOn))
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const address = new URL(request.url ?? '/', 'ws://localhost')
    const endpoint = this.#endpoints.find((each) => each.isPath(address.pathname))
    if (endpoint === undefined) return refuse(stream, { status: 404 })
    const { feed } = endpoint
    const fault =
      (feed === 'rtds' ? this.#faults.strike('rtds-removed', { feed }) : undefined) ??
      this.#faults.strike('refuse-upgrade', { feed })
    const refusal = fault === undefined ? endpoint.refusal?.(request.headers) : { status: fault.options.status ?? 429 }
    // Kalshi says no time after which to try again.
    if (refusal !== undefined) return refuse(stream, refusal, { hasRetryAfter: feed !== 'kalshi' })
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const { feed } = endpoint
      const limits = feed === 'polymarket' && this.#behaviours.has('delivery-limits') ? this.#limits : undefined
      const delivery = new Delivery(`${feed}-${++this.#count}`, feed, socket, stream, this.#faults, {
        limits,
        change: brokenFrames(this.#broken, feed),
      })
      this.deliveries.add(delivery)
      delivery.onClose(() => this.deliveries.delete(delivery))
      if (feed === 'polymarket' && this.#behaviours.has('socket-stalls')) this.#stallNowAndThen(delivery)
      endpoint.accept(delivery, address)
    })
  }

  #stallNowAndThen(delivery: Delivery): void {
    const stalls = stallTimes(this.#seed, delivery.id, this.#stallsPerSecond)
    let timer: NodeJS.Timeout
    const planNext = (): void => {
      const { afterMs, durationMs } = stalls.next().value
      timer = setTimeout(() => {
        const detail = `${durationMs} ms`
        this.#faults.note('socket-stalls', { connection: delivery.id, markets: delivery.marketsOf(), detail })
        delivery.stall(durationMs)
        planNext()
      }, afterMs)
    }
    planNext()
    delivery.onClose(() => clearTimeout(timer))
  }

  /** Sends what waits for the limits of its socket. */
  sendWaiting(): void {
    for (const delivery of this.deliveries) delivery.sendWaiting()
  }

  /** Some faults act once, when they are switched on; `freeze` sends the held frames when it is switched off. */
  #onSwitch(fault: ActiveFault, isOn: boolean): void {
    for (const delivery of this.deliveries) {
      const occasion = { feed: delivery.feed, connection: delivery.id, markets: delivery.marketsOf() }
      if (isOn && fault.name === 'disconnect' && this.#faults.strike('disconnect', occasion)) {
        delivery.close(fault.options.code ?? 1006, '')
      }
      if (isOn && fault.name === 'slow-consumer' && this.#faults.strike('slow-consumer', occasion)) {
        delivery.close(1013, 'slow consumer: send buffer full')
      }
      if (isOn && fault.name === 'rtds-removed' && delivery.feed === 'rtds') delivery.close(1001, '')
      if (isOn && fault.name === 'stall' && this.#faults.strike('stall', occasion))
        delivery.stall(fault.options.ms ?? 0)
      if (!isOn && fault.name === 'freeze') delivery.releaseFrozen()
    }
    if (isOn && ACT_ONCE.has(fault.name)) this.#faults.switchOff(fault.id)
  }

  closeAll(): void {
    for (const delivery of this.deliveries) delivery.close(1006, '')
  }
}

function refuse(stream: Duplex, { status, body = '' }: Refusal, { hasRetryAfter = true } = {}): void {
  const headers = [
    ...(status === 429 && hasRetryAfter ? ['Retry-After: 1'] : []),
    ...(body === '' ? [] : ['Content-Type: application/json']),
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
}
