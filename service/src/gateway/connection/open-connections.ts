import { WebSocket } from 'ws'
import type { Stores } from '../../endpoints/stores.ts'
import type { AccessWatch } from '../admission/access-watch.ts'
import type { ConsoleWatch } from '../admission/console-watch.ts'
import { placeLost } from '../admission/ended-access.ts'
import type { Guest, StreamAdmission } from '../admission/stream-admission.ts'
import { CLOSE_CODES } from '../protocol/protocol.ts'
import { Connection, type ConnectionDeps } from './connection.ts'
import { textOf } from './read-frame.ts'
import { type Ending, endConnection } from './refuse-connection.ts'
import { SimpleConnection } from './simple-frames.ts'
import { SocketWriter } from './socket-writer.ts'

export interface OpenConnectionsDeps extends ConnectionDeps {
  readonly stores: Stores
  readonly admission: StreamAdmission
  readonly watch: AccessWatch
  readonly consoleWatch: ConsoleWatch
  /** A client that reads nothing for this long is disconnected, one that replays for six times as long; default 10 s. */
  readonly slowForMs?: number | undefined
}

interface Open {
  readonly writer: SocketWriter
  readonly guest: Guest
  readonly connection: Connection | SimpleConnection
  isAlive: boolean
}

const SLOW_FOR_MS = 10_000
/** A replay waits for a reader who pauses, six times as long, and for one who reads slowly, for ever. */
const PATIENCE_OF_REPLAY = 6
const RETRY_AFTER_MS = 1_000

/** Admitted connections: pings, slow readers, ended access, shutdown. */
export class OpenConnections {
  readonly #deps: OpenConnectionsDeps
  readonly #open = new Map<string, Open>()
  readonly #slow = new Set<Open>()

  constructor(deps: OpenConnectionsDeps) {
    this.#deps = deps
  }

  add(webSocket: WebSocket, guest: Guest, isSimple: boolean): Connection | SimpleConnection {
    const { meter, admission, watch, consoleWatch } = this.#deps
    const id = guest.connectionId
    const writer = new SocketWriter(webSocket, meter, () => {
      meter.skipped()
      this.#slow.add(open)
    })
    const connection = isSimple
      ? new SimpleConnection({ ...this.#deps, caller: guest.caller, writer })
      : new Connection(this.#deps, { id, writer, caller: guest.caller })
    const open: Open = { writer, guest, connection, isAlive: true }
    this.#open.set(id, open)
    watch.add(guest, (ending) => this.#end(open, ending))
    consoleWatch.add(guest, (ending) => this.#end(open, ending))
    meter.opened()
    webSocket.on('message', (data) => connection.receive(textOf(data)))
    webSocket.on('pong', () => {
      open.isAlive = true
    })
    webSocket.once('close', (code) => {
      connection.end()
      this.#open.delete(id)
      this.#slow.delete(open)
      watch.remove(guest)
      consoleWatch.remove(guest)
      meter.closed(String(code))
      void admission.leave(guest)
    })
    connection.welcome()
    return connection
  }

  /** The connections to `/v1/stream`. */
  *streams(): Iterable<Connection> {
    for (const { connection } of this.#open.values()) if (connection instanceof Connection) yield connection
  }

  /** Disconnects clients that did not answer the last ping. */
  ping(): void {
    for (const open of this.#open.values()) {
      const { socket } = open.writer
      if (!open.isAlive) socket.terminate()
      open.isAlive = false
      if (socket.readyState === WebSocket.OPEN) socket.ping()
    }
  }

  /** Continues with readers that have caught up, and disconnects those that are slow for too long. */
  checkSlowReaders(): void {
    const { slowForMs = SLOW_FOR_MS } = this.#deps
    for (const open of this.#slow) {
      const { writer, connection } = open
      const { sinceMs, patience } = connection.isReplaying
        ? { sinceMs: writer.readAtMs, patience: PATIENCE_OF_REPLAY }
        : { sinceMs: writer.fullSinceMs ?? Infinity, patience: 1 }
      if (writer.hasCaughtUp()) {
        this.#slow.delete(open)
        connection.drained()
      } else if (performance.now() - sinceMs > slowForMs * patience) {
        this.#slow.delete(open)
        const seconds = (SLOW_FOR_MS / 1_000) * patience
        const message = `The client read no frames for ${seconds} seconds. Connect again and resume.`
        const closing = { type: 'closing', code: 'slow_reader', message, reconnect: true } as const
        writer.close(CLOSE_CODES.slow_reader, 'slow_reader', closing, SLOW_FOR_MS)
      }
    }
  }

  /** Ends the connections whose place was taken by others. */
  async renewLeases(): Promise<void> {
    for (const guest of await this.#deps.admission.renewLeases()) {
      const open = this.#open.get(guest.connectionId)
      if (open !== undefined) this.#end(open, placeLost(guest.caller))
    }
  }

  async closeAll(): Promise<void> {
    const message = 'This server is shutting down. Connect again and resume.'
    const closing = { type: 'closing', code: 'going_away', message, reconnect: true } as const
    const closed = [...this.#open.values()].map(async ({ writer, guest }) => {
      const gone = new Promise((resolve) => writer.socket.once('close', resolve))
      writer.close(CLOSE_CODES.going_away, 'going_away', { ...closing, retry_after_ms: RETRY_AFTER_MS })
      await gone
      await this.#deps.admission.leave(guest)
    })
    await Promise.all(closed)
  }

  /** Nothing more is sent or charged, also to a client that does not answer the close. */
  #end({ writer, connection }: Open, ending: Ending): void {
    connection.end()
    endConnection(writer, connection instanceof SimpleConnection, ending)
  }
}
