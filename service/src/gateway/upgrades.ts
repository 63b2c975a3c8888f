import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { AccessControl } from '../access/access-control.ts'
import type { AnonymousBudget } from '../access/anonymous-budget.ts'
import { clientAddress } from '../access/client-address.ts'
import { refusedInFrame } from '../access/refusals.ts'
import { ApiError } from '../domain/api-error.ts'
import { presentedKey } from '../pipeline/presented-key.ts'
import { EarlyBytes } from './admission/early-bytes.ts'
import { KEYLESS_LIMITS, KeylessConnections, type KeylessLimits } from './admission/keyless-connections.ts'
import { refuseUpgrade } from './admission/refuse-upgrade.ts'
import type { Guest, StreamAdmission } from './admission/stream-admission.ts'
import { idIn, readFrame, textOf } from './connection/read-frame.ts'
import { refuseConnection } from './connection/refuse-connection.ts'
import { SIMPLE_PATH, simpleKeyIn } from './connection/simple-frames.ts'
import { SocketWriter } from './connection/socket-writer.ts'
import { streamErrorOf } from './connection/stream-error.ts'
import type { GatewayMeter } from './gateway-metrics.ts'
import { CLOSE_CODES } from './protocol/protocol.ts'

export interface UpgradeDeps {
  readonly admission: StreamAdmission
  readonly accessControl: AccessControl
  readonly isHttpsRequired: boolean
  readonly proxies: BlockList
  readonly anonymousBudget: AnonymousBudget
  /** Origin of the console, whose cookies no other site may use. */
  readonly publicOrigin?: string | undefined
  readonly keylessLimits?: KeylessLimits | undefined
  readonly meter: GatewayMeter
  readonly onTrouble: (error: unknown) => void
}

/** Takes an admitted socket; the result receives the frames that arrived during the key check. */
export type OnAdmitted = (webSocket: WebSocket, guest: Guest, isSimple: boolean) => { receive(text: string): void }

type Credentials = { readonly key: string } | { readonly ticket: string }

interface PendingConnection {
  readonly id: string
  readonly ip: string
  readonly isSimple: boolean
  /** Header of the upgrade; a page can't change it. */
  readonly origin: string | undefined
  readonly socket: Duplex
}

const STREAM_PATH = '/v1/stream'
/** Enough for 500 selectors with market ids. */
const MAX_FRAME_BYTES = 64 * 1024
const MAX_EARLY_FRAMES = 40
const OUR_COOKIES = '__Host-bookreel'
const NO_KEY =
  'This connection has no API key. Send one as "X-API-Key: <key>" or "Authorization: Bearer <key>" when you connect, or in an auth frame within 5 seconds.'

/** Turns HTTP upgrades into admitted WebSockets. The key is in a header or in the first frame. */
export class Upgrades {
  readonly #deps: UpgradeDeps
  readonly #onAdmitted: OnAdmitted
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES })
  readonly #keylessLimits: KeylessLimits
  readonly #keyless: KeylessConnections
  #isClosing = false

  constructor(deps: UpgradeDeps, onAdmitted: OnAdmitted) {
    this.#deps = deps
    this.#keylessLimits = deps.keylessLimits ?? KEYLESS_LIMITS
    this.#keyless = new KeylessConnections(this.#keylessLimits.most)
    this.#onAdmitted = onAdmitted
  }

  /** For `on('upgrade')` of an HTTP server. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    this.#upgrade(request, socket, head).catch((error: unknown) => {
      const apiError = streamErrorOf(error)
      if (apiError.code === 'internal') this.#deps.onTrouble(error)
      refuseUpgrade(socket, apiError)
    })
  }

  /** Refuses all further upgrades. */
  stopAdmitting(): void {
    this.#isClosing = true
  }

  /** Closes the sockets that are still open, such as those without a key. */
  close(): void {
    for (const client of this.#sockets.clients) client.terminate()
    this.#sockets.close()
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { admission, accessControl, anonymousBudget, proxies, isHttpsRequired } = this.#deps
    const path = (request.url ?? '').split('?')[0]
    if (path !== STREAM_PATH && path !== SIMPLE_PATH)
      throw new ApiError('not_found', `No stream has this path. Use ${STREAM_PATH}.`)
    const { ip, isHttps } = clientAddress(request, proxies)
    if (isHttpsRequired && !isHttps) {
      throw new ApiError('https_required', 'Use wss instead of ws, and replace a key that was sent unencrypted.')
    }
    requireOwnSite(request, this.#deps.publicOrigin)
    if (this.#isClosing) {
      throw new ApiError('overloaded', 'The server accepts no more connections at the moment. Try again in a second.', {
        retryAfterSeconds: 1,
      })
    }
    const id = randomUUID()
    const presented = presentedKey(request.headers)
    // Browsers may add the Authorization of a proxy, and send their key in a frame.
    const isInFrame = presented instanceof ApiError && presented.details?.reason === 'unsupported_scheme'
    const isKeyless = presented === undefined || isInFrame
    const key = typeof presented === 'string' ? presented : undefined
    if (key === undefined || accessControl.knownAccount(key) === undefined)
      await anonymousBudget.take('upgrades', ip, async () => key !== undefined && accessControl.accepts(key, ip))
    const guest = isKeyless ? undefined : await admission.enter(presented, ip, id)
    if (guest !== undefined && (socket.destroyed || this.#isClosing)) {
      await admission.leave(guest)
      throw new ApiError('overloaded', 'This server is shutting down. Connect again.', { retryAfterSeconds: 1 })
    }
    if (socket.destroyed) return
    if (isKeyless) this.#keyless.add(socket)
    let isUpgraded = false
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      isUpgraded = true
      webSocket.on('error', () => {})
      const isSimple = path === SIMPLE_PATH
      if (guest !== undefined) this.#onAdmitted(webSocket, guest, isSimple)
      else this.#awaitKey(webSocket, { id, ip, isSimple, origin: request.headers.origin, socket })
    })
    // The handshake was invalid and the library has answered it.
    if (guest !== undefined && !isUpgraded) await admission.leave(guest)
  }

  #awaitKey(webSocket: WebSocket, pending: PendingConnection): void {
    const { meter } = this.#deps
    const writer = new SocketWriter(webSocket, meter)
    const bytes = new EarlyBytes(pending.socket, () => meter.cutEarly('bytes'))
    const refuse = (error: ApiError, closeCode: number): void => {
      webSocket.off('message', listen)
      clearTimeout(late)
      bytes.noteRefused()
      refuseConnection(writer, pending.isSimple, error, closeCode)
    }
    const late = setTimeout(() => refuse(noKey(), CLOSE_CODES.unauthenticated), this.#keylessLimits.withinMs)
    webSocket.once('close', () => clearTimeout(late))
    const early: string[] = []
    const onAdmitted = (): void => {
      webSocket.off('message', listen)
      bytes.noteAdmitted()
      this.#keyless.delete(pending.socket)
    }
    const listen = (data: RawData): void => {
      if (early.length >= MAX_EARLY_FRAMES) {
        meter.cutEarly('frames')
        return refuse(tooManyEarlyFrames(), CLOSE_CODES.forbidden)
      }
      early.push(textOf(data))
      if (early.length === 1) this.#checkKey(writer, pending, early, { onAdmitted, refuse })
      clearTimeout(late)
    }
    webSocket.on('message', listen)
  }

  /** Frames that arrive during the check wait in `early`, after the frame with the key. */
  #checkKey(
    writer: SocketWriter,
    pending: PendingConnection,
    early: readonly string[],
    { onAdmitted, refuse }: { onAdmitted: () => void; refuse: (error: ApiError, closeCode: number) => void },
  ): void {
    const { id, ip, isSimple } = pending
    const { admission, publicOrigin } = this.#deps
    const [text = ''] = early
    const presented = isSimple ? simpleCredentials(text) : credentialsIn(text)
    if (presented instanceof ApiError) return refuse(presented, CLOSE_CODES.unauthenticated)
    if ('ticket' in presented && (publicOrigin === undefined || pending.origin !== publicOrigin))
      return refuse(foreignTicket(), CLOSE_CODES.forbidden)
    const entered =
      'ticket' in presented ? admission.enterByTicket(presented.ticket, id) : admission.enter(presented.key, ip, id)
    entered.then(
      (guest) => {
        onAdmitted()
        if (writer.socket.readyState !== WebSocket.OPEN) return void admission.leave(guest)
        const connection = this.#onAdmitted(writer.socket, guest, isSimple)
        const requestId = idIn(text)
        if (!isSimple && requestId !== undefined) writer.sendFrame({ type: 'ack', id: requestId, op: 'auth' })
        for (const frame of early.slice(1)) connection.receive(frame)
      },
      (error: unknown) => refuse(refusedInFrame(streamErrorOf(error)), CLOSE_CODES.forbidden),
    )
  }
}

/** Streams know no cookies; a page of another site that sends ours has been tricked or is an attack. */
function requireOwnSite({ headers }: IncomingMessage, ownOrigin: string | undefined): void {
  const isForeign = headers.origin !== undefined && headers.origin !== ownOrigin
  if (!isForeign || headers.cookie?.includes(OUR_COOKIES) !== true) return
  throw new ApiError('cross_site_refused', 'Streams of other sites must not send cookies. Send an API key instead.')
}

/** Otherwise a site could open a stream with a ticket that it got by a trick. */
function foreignTicket(): ApiError {
  return new ApiError(
    'cross_site_refused',
    'Tickets work only on pages of the console. Programs send an API key instead.',
  )
}

function tooManyEarlyFrames(): ApiError {
  const message = `More than ${MAX_EARLY_FRAMES} frames arrived before the key was checked. Wait for the welcome frame.`
  return new ApiError('rate_limited', message, { retryAfterSeconds: 1 })
}

function simpleCredentials(text: string): Credentials | ApiError {
  const key = simpleKeyIn(text)
  return key === undefined ? noKey() : { key }
}

function credentialsIn(text: string): Credentials | ApiError {
  try {
    const frame = readFrame(text)
    if (frame.op !== 'auth') return noKey(`The first frame is ${frame.op}.`)
    return frame.ticket === undefined ? { key: frame.key ?? '' } : { ticket: frame.ticket }
  } catch (error) {
    return noKey(`The first frame is not valid: ${streamErrorOf(error).message}.`)
  }
}

function noKey(problem?: string): ApiError {
  return new ApiError('unauthenticated', problem === undefined ? NO_KEY : `${NO_KEY} ${problem}`)
}
