import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { Delivery } from './delivery.ts'
import type { ActiveFault, Feed, Switchboard } from './faults/switchboard.ts'

export interface SocketEndpoint {
  feed: Feed
  isPath(path: string): boolean
  accept(delivery: Delivery, address: URL): void
}

/** All open sockets of all feeds, and the faults that affect a whole socket. */
export class Sockets {
  readonly deliveries = new Set<Delivery>()
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 4 * 1024 * 1024 })
  readonly #endpoints: readonly SocketEndpoint[]
  readonly #faults: Switchboard
  #count = 0

  constructor(http: Server, endpoints: readonly SocketEndpoint[], faults: Switchboard) {
    this.#endpoints = endpoints
    this.#faults = faults
    http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => this.#upgrade(request, stream, head))
    faults.onSwitch((fault, isOn) => this.#onSwitch(fault, isOn))
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const address = new URL(request.url ?? '/', 'ws://localhost')
    const endpoint = this.#endpoints.find((each) => each.isPath(address.pathname))
    if (endpoint === undefined) return refuse(stream, 404)
    const refusal = this.#faults.strike('refuse-upgrade', { feed: endpoint.feed })
    if (refusal !== undefined) return refuse(stream, refusal.options.status ?? 429)
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const delivery = new Delivery(`${endpoint.feed}-${++this.#count}`, endpoint.feed, socket, stream, this.#faults)
      this.deliveries.add(delivery)
      delivery.onClose(() => this.deliveries.delete(delivery))
      endpoint.accept(delivery, address)
    })
  }

  /** Some faults act once, when they are switched on; `freeze` sends the held frames when it is switched off. */
  #onSwitch(fault: ActiveFault, isOn: boolean): void {
    for (const delivery of this.deliveries) {
      const occasion = { feed: delivery.feed, connection: delivery.id }
      if (isOn && fault.name === 'disconnect' && this.#faults.strike('disconnect', occasion)) {
        delivery.close(fault.options.code ?? 1006, '')
      }
      if (isOn && fault.name === 'slow-consumer' && this.#faults.strike('slow-consumer', occasion)) {
        delivery.close(1013, 'slow consumer')
      }
      if (!isOn && fault.name === 'freeze') delivery.releaseFrozen()
    }
    if (isOn && (fault.name === 'disconnect' || fault.name === 'slow-consumer')) this.#faults.switchOff(fault.id)
  }

  closeAll(): void {
    for (const delivery of this.deliveries) delivery.close(1006, '')
  }
}

function refuse(stream: Duplex, status: number): void {
  const retry = status === 429 ? 'Retry-After: 1\r\n' : ''
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  )
}
