import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NatsConnection } from '@nats-io/transport-node'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { ApiError } from '../domain/api-error.ts'
import type { Stores } from '../endpoints/stores.ts'
import type { AccessChange } from '../stores/accounts/access-changes.ts'
import { clientAddress } from './admission/client-address.ts'
import { refuseUpgrade } from './admission/refuse-upgrade.ts'
import type { Guest, StreamAdmission } from './admission/stream-admission.ts'
import { Connection, type ConnectionDeps } from './connection/connection.ts'
import { idIn, readFrame } from './connection/read-frame.ts'
import { SIMPLE_PATH, SimpleConnection, simpleKeyIn } from './connection/simple-frames.ts'
import { SocketWriter } from './connection/socket-writer.ts'
import { streamErrorOf } from './connection/stream-error.ts'
import { CurrentMarkets } from './markets/current-markets.ts'
import { Lifecycle } from './markets/lifecycle.ts'
import { CLOSE_CODES } from './protocol/protocol.ts'

export interface GatewayDeps extends ConnectionDeps {
  readonly stores: Stores
  readonly door: StreamAdmission
  readonly isHttpsRequired: boolean
  readonly proxies: BlockList
  /** A reader that has not read for so long is closed; default 10 s. */
  readonly slowForMs?: number | undefined
}

interface Open {
  readonly wire: SocketWriter
  readonly guest: Guest
  readonly connection: Connection | SimpleConnection
  isHeard: boolean
}

export const STREAM_PATH = '/v1/stream'
/** Five hundred selectors, of which the longest names a market by its id. */
const MOST_FRAME_BYTES = 64 * 1024
const KEY_WITHIN_MS = 5_000
const MOST_WITHOUT_KEY = 1_000
const MOST_EARLY_FRAMES = 40
const PING_EVERY_MS = 20_000
const LEASE_EVERY_MS = 10_000
const LOOK_AT_SLOW_EVERY_MS = 50
const MOVE_ON_EVERY_MS = 250
const SWEEP_EVERY_MS = 10_000
const SLOW_FOR_MS = 10_000
const RETRY_AFTER_MS = 1_000

/** Streams over WebSocket, on whatever HTTP server hands its upgrades over. */
export class Gateway {
  readonly #deps: GatewayDeps
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MOST_FRAME_BYTES })
  readonly #open = new Map<string, Open>()
  readonly #slow = new Set<Open>()
  readonly #doubted = new Set<Guest>()
  readonly #lifecycle: Lifecycle
  readonly #currently: CurrentMarkets
  #withoutKey = 0
  #status: string | undefined
  #isClosing = false

  constructor(deps: GatewayDeps) {
    this.#deps = deps
    this.#currently = new CurrentMarkets(deps.selectors.catalogue, deps.nowMs)
    const onEnded = (marketId: string): void => this.#streams((connection) => connection.ended(marketId))
    const { catalogue, markets } = deps.selectors
    this.#lifecycle = new Lifecycle({ ...deps, catalogue, markets, onEnded })
  }

  /** The bus has come. */
  attach(connection: NatsConnection): void {
    this.#deps.hub.feed.attach(connection)
    this.#lifecycle.attach(connection)
  }

  /** Looks after the connections until the signal, then lets everybody go. */
  async run(signal: AbortSignal): Promise<void> {
    const { door, gate, hub, onTrouble } = this.#deps
    const stopListening = gate.onChange((change) => this.#doubt(change))
    const timers = [
      every(LOOK_AT_SLOW_EVERY_MS, () => this.#lookAtSlow()),
      every(MOVE_ON_EVERY_MS, () => this.#moveOn()),
      every(PING_EVERY_MS, () => this.#ping()),
      every(LEASE_EVERY_MS, () => void door.keepPlaces().catch(onTrouble)),
      every(SWEEP_EVERY_MS, () => hub.sweep()),
    ]
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    for (const timer of timers) clearInterval(timer)
    stopListening()
    await this.#close()
  }

  /** For `on('upgrade')` of an HTTP server. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    this.#upgrade(request, socket, head).catch((error: unknown) => {
      const fault = streamErrorOf(error)
      if (fault.code === 'internal') this.#deps.onTrouble(error)
      refuseUpgrade(socket, fault)
    })
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const path = (request.url ?? '').split('?')[0]
    if (path !== STREAM_PATH && path !== SIMPLE_PATH) throw new ApiError('not_found', `Streams are at ${STREAM_PATH}.`)
    const { ip, isHttps } = clientAddress(request, this.#deps.proxies)
    if (this.#deps.isHttpsRequired && !isHttps) {
      throw new ApiError('https_required', 'Use wss. A key that was sent in the clear should be replaced.')
    }
    if (this.#isClosing || this.#withoutKey >= MOST_WITHOUT_KEY) {
      throw new ApiError('overloaded', 'No further connection right now. Try again in a moment.', {
        retryAfterSeconds: 1,
      })
    }
    const id = randomUUID()
    const key = request.headers['x-api-key']
    const guest = typeof key === 'string' ? await this.#deps.door.enter(key, ip, id) : undefined
    if (guest !== undefined && (socket.destroyed || this.#isClosing)) {
      await this.#deps.door.leave(guest)
      throw new ApiError('overloaded', 'This node ends.', { retryAfterSeconds: 1 })
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => {})
      const isSimple = path === SIMPLE_PATH
      if (guest !== undefined) this.#welcome(webSocket, guest, isSimple)
      else this.#awaitKey(webSocket, { id, ip, isSimple })
    })
  }

  /** The first frame must bring the key, and soon. */
  #awaitKey(webSocket: WebSocket, { id, ip, isSimple }: { id: string; ip: string; isSimple: boolean }): void {
    this.#withoutKey++
    const wire = new SocketWriter(webSocket, this.#deps.meter)
    const late = setTimeout(() => this.#turnAway(wire, isSimple, NO_KEY, CLOSE_CODES.unauthenticated), KEY_WITHIN_MS)
    webSocket.once('close', () => {
      this.#withoutKey--
      clearTimeout(late)
    })
    const early: string[] = []
    const listen = (data: RawData): void => {
      early.push(textOf(data))
      if (early.length === 1) this.#checkKey(wire, { id, ip, isSimple }, early, () => webSocket.off('message', listen))
      clearTimeout(late)
    }
    webSocket.on('message', listen)
  }

  /** What comes while the key is looked at waits in `early`, behind the frame that brought it. */
  #checkKey(
    wire: SocketWriter,
    { id, ip, isSimple }: { id: string; ip: string; isSimple: boolean },
    early: readonly string[],
    stopListening: () => void,
  ): void {
    const [text = ''] = early
    const key = isSimple ? simpleKeyIn(text) : keyIn(text)
    if (key === undefined) return this.#turnAway(wire, isSimple, NO_KEY, CLOSE_CODES.unauthenticated)
    this.#deps.door.enter(key, ip, id).then(
      (guest) => {
        stopListening()
        if (wire.socket.readyState !== WebSocket.OPEN) return void this.#deps.door.leave(guest)
        const connection = this.#welcome(wire.socket, guest, isSimple)
        const requestId = idIn(text)
        if (!isSimple && requestId !== undefined) wire.say({ type: 'ack', id: requestId, op: 'auth' })
        for (const frame of early.slice(1, MOST_EARLY_FRAMES)) connection.receive(frame)
      },
      (error: unknown) => this.#turnAway(wire, isSimple, streamErrorOf(error), CLOSE_CODES.forbidden),
    )
  }

  #welcome(webSocket: WebSocket, guest: Guest, isSimple: boolean): Connection | SimpleConnection {
    const { meter, door } = this.#deps
    const id = guest.connectionId
    const wire = new SocketWriter(webSocket, meter, () => {
      meter.skipped()
      this.#slow.add(open)
    })
    const connection = isSimple
      ? new SimpleConnection({ ...this.#deps, caller: guest.caller, wire })
      : new Connection(this.#deps, { id, wire, caller: guest.caller })
    const open: Open = { wire, guest, connection, isHeard: true }
    this.#open.set(id, open)
    meter.opened()
    webSocket.on('message', (data) => connection.receive(textOf(data)))
    webSocket.on('pong', () => {
      open.isHeard = true
    })
    webSocket.once('close', (code) => {
      connection.end()
      this.#open.delete(id)
      this.#slow.delete(open)
      this.#doubted.delete(guest)
      meter.closed(String(code))
      void door.leave(guest)
    })
    connection.welcome()
    return connection
  }

  #turnAway(
    wire: SocketWriter,
    isSimple: boolean,
    { code, message, retryAfterSeconds }: ApiError,
    closeCode: number,
  ): void {
    const mayReturn = code === 'store_unavailable' || code === 'overloaded'
    const actual = mayReturn ? CLOSE_CODES.going_away : closeCode
    if (isSimple) {
      wire.send(JSON.stringify({ type: 'error', code: actual, message }))
      return wire.close(actual, code)
    }
    const retry = retryAfterSeconds === undefined ? {} : { retry_after_ms: retryAfterSeconds * 1_000 }
    wire.close(actual, code, { type: 'closing', code, message, reconnect: mayReturn, ...retry })
  }

  #lookAtSlow(): void {
    const { slowForMs = SLOW_FOR_MS } = this.#deps
    for (const open of this.#slow) {
      const { wire, connection } = open
      if (wire.look()) {
        this.#slow.delete(open)
        connection.drained()
      } else if (!connection.isReplaying && performance.now() - (wire.fullSinceMs ?? Infinity) > slowForMs) {
        this.#slow.delete(open)
        const message = 'What was sent was not read for 10 seconds. Come back, and resume.'
        const words = { type: 'closing', code: 'slow_reader', message, reconnect: true } as const
        wire.close(CLOSE_CODES.slow_reader, 'slow_reader', words, SLOW_FOR_MS)
      }
    }
  }

  #moveOn(): void {
    this.#lifecycle.look()
    this.#currently.refresh()
    this.#streams((connection) => connection.moveOn(this.#currently))
    for (const guest of this.#doubted) void this.#lookAgain(guest)
    const nowMs = this.#deps.nowMs()
    const { status } = this.#deps.stores.health.read(nowMs)
    const before = this.#status
    this.#status = status
    if (before === undefined || before === status) return
    const frame = JSON.stringify({ channel: 'status', type: 'health', status, at: nowMs, sent_at: nowMs })
    this.#streams((connection) => connection.wantsStatus && connection.wire.send(frame))
  }

  #ping(): void {
    for (const open of this.#open.values()) {
      if (!open.isHeard) open.wire.socket.terminate()
      open.isHeard = false
      if (open.wire.socket.readyState === WebSocket.OPEN) open.wire.socket.ping()
    }
  }

  #doubt(change: AccessChange): void {
    for (const { guest } of this.#open.values()) {
      const { keyId, accountId } = guest.caller
      const isMeant =
        change.kind === 'anything' || (change.kind === 'key' ? change.keyId === keyId : change.accountId === accountId)
      if (!isMeant) continue
      this.#doubted.add(guest)
      void this.#lookAgain(guest)
    }
  }

  /** Until it is known whether the key still works, it is asked again and again. */
  async #lookAgain(guest: Guest): Promise<void> {
    this.#doubted.delete(guest)
    const found = await this.#deps.door.lookAgain(guest).catch(() => undefined)
    const open = this.#open.get(guest.connectionId)
    if (open === undefined) return
    if (found === undefined) this.#doubted.add(guest)
    else if (found.fault !== undefined) {
      this.#turnAway(open.wire, open.connection instanceof SimpleConnection, found.fault, CLOSE_CODES.forbidden)
    }
  }

  #streams(visit: (connection: Connection) => unknown): void {
    for (const { connection } of this.#open.values()) if (connection instanceof Connection) visit(connection)
  }

  async #close(): Promise<void> {
    this.#isClosing = true
    const words = { type: 'closing', code: 'going_away', message: 'This node ends. Come back, and resume.' } as const
    const closed = [...this.#open.values()].map(async ({ wire, guest }) => {
      const gone = new Promise((resolve) => wire.socket.once('close', resolve))
      wire.close(CLOSE_CODES.going_away, 'going_away', { ...words, reconnect: true, retry_after_ms: RETRY_AFTER_MS })
      await gone
      await this.#deps.door.leave(guest)
    })
    await Promise.all(closed)
    for (const client of this.#sockets.clients) client.terminate()
    this.#sockets.close()
  }
}

const NO_KEY = new ApiError('unauthenticated', 'The first frame must bring an API key within 5 seconds.')

function keyIn(text: string): string | undefined {
  try {
    const frame = readFrame(text)
    return frame.op === 'auth' ? frame.key : undefined
  } catch {
    return undefined
  }
}

/** Sockets of ours hand out buffers and nothing else. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : ''
}

function every(ms: number, work: () => void): NodeJS.Timeout {
  return setInterval(work, ms)
}
