import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { Delivery } from './delivery.ts'
import type { ActiveFault, Feed, Switchboard } from './faults/switchboard.ts'

export interface SocketDoor {
  feed: Feed
  isPath(path: string): boolean
  accept(wire: Delivery, address: URL): void
}

/** Every open socket of every feed, and the faults that befall a socket as a whole. */
export class Sockets {
  readonly wires = new Set<Delivery>()
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 4 * 1024 * 1024 })
  readonly #doors: readonly SocketDoor[]
  readonly #faults: Switchboard
  #count = 0

  constructor(http: Server, doors: readonly SocketDoor[], faults: Switchboard) {
    this.#doors = doors
    this.#faults = faults
    http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => this.#upgrade(request, stream, head))
    faults.onSwitch((fault, isOn) => this.#meet(fault, isOn))
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const address = new URL(request.url ?? '/', 'ws://localhost')
    const door = this.#doors.find((each) => each.isPath(address.pathname))
    if (door === undefined) return refuse(stream, 404)
    const refusal = this.#faults.strike('refuse-upgrade', { feed: door.feed })
    if (refusal !== undefined) return refuse(stream, refusal.options.status ?? 429)
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const wire = new Delivery(`${door.feed}-${++this.#count}`, door.feed, socket, stream, this.#faults)
      this.wires.add(wire)
      wire.onClose(() => this.wires.delete(wire))
      door.accept(wire, address)
    })
  }

  /** Some faults happen once, when they are switched on; a freeze ends in a burst when it is switched off. */
  #meet(fault: ActiveFault, isOn: boolean): void {
    for (const wire of this.wires) {
      const occasion = { feed: wire.feed, connection: wire.id }
      if (isOn && fault.name === 'disconnect' && this.#faults.strike('disconnect', occasion)) {
        wire.close(fault.options.code ?? 1006, '')
      }
      if (isOn && fault.name === 'slow-consumer' && this.#faults.strike('slow-consumer', occasion)) {
        wire.close(1013, 'slow consumer')
      }
      if (!isOn && fault.name === 'freeze') wire.thaw()
    }
    if (isOn && (fault.name === 'disconnect' || fault.name === 'slow-consumer')) this.#faults.switchOff(fault.id)
  }

  closeAll(): void {
    for (const wire of this.wires) wire.close(1006, '')
  }
}

function refuse(stream: Duplex, status: number): void {
  const retry = status === 429 ? 'Retry-After: 1\r\n' : ''
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  )
}
