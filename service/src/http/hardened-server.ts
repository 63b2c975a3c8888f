import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import { connectionMetrics } from '../access/connection-metrics.ts'
import { ApiError } from '../domain/api-error.ts'
import { READING_LIMITS, type ReadingLimits, SlowReaders } from './slow-readers.ts'

export interface ServerLimits extends ReadingLimits {
  /** Time to receive the headers of a request; a connection that sends nothing is closed after it too. */
  readonly headersMs: number
  /** Time to receive a whole request. */
  readonly requestMs: number
  /**
   * Time between two requests of a connection. A proxy must end an idle connection first, or it sends a request into one
   * that this server is closing; the longest usual time of proxies is 600 s.
   */
  readonly idleMs: number
  /** A connection on which no byte moves for this long is closed, such as that of a reader that has stopped. */
  readonly stalledMs: number
  /** Time for requests in progress when the server stops. */
  readonly drainMs: number
  readonly maxHeaderBytes: number
  readonly maxConnections: number
}

export const SERVER_LIMITS: ServerLimits = {
  ...READING_LIMITS,
  headersMs: 5_000,
  requestMs: 10_000,
  idleMs: 620_000,
  stalledMs: 20_000,
  drainMs: 15_000,
  maxHeaderBytes: 8 * 1024,
  maxConnections: 10_000,
}

export interface HardenedServerOptions {
  readonly registry: Registry
  readonly limits?: Partial<ServerLimits> | undefined
}

export interface HardenedServer {
  readonly server: Server
  /** Call it before `close`, which alone would wait for every connection that somebody holds open. */
  readonly drain: () => void
}

const CHECK_EVERY_MS = 1_000
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'
const REFUSALS: Readonly<Record<string, string>> = {
  [LATE]: 'The request did not arrive in time. Send the headers within 5 s and the body within 10 s.',
  HPE_HEADER_OVERFLOW: 'The address and the headers are too large. Send at most 8 KiB.',
}

/**
 * An HTTP server with time limits for every phase of a connection, whoever it comes from. The proxy in front of it limits
 * the connections of each address (`deploy/haproxy.cfg`).
 */
export function createHardenedServer(options: HardenedServerOptions, handler: RequestListener): HardenedServer {
  const limits = { ...SERVER_LIMITS, ...options.limits }
  const metrics = connectionMetrics(options.registry)
  const open = new Set<Socket>()
  let isDraining = false
  const cut = (socket: Socket, reason: string): void => {
    if (socket.destroyed) return
    metrics.cut.inc({ reason })
    socket.destroy()
  }
  const slowReaders = new SlowReaders(limits, (socket) => cut(socket, 'slow_reader'))
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, limits.headersMs),
      maxHeaderSize: limits.maxHeaderBytes,
    },
    handler,
  )
  server.timeout = limits.stalledMs
  server.on('connection', (socket: Socket) => {
    // `server.maxConnections` does not count the connections of further listeners.
    if (open.size >= limits.maxConnections) return cut(socket, 'connection_limit')
    open.add(socket)
    metrics.open.inc()
    socket.once('close', () => {
      open.delete(socket)
      metrics.open.dec()
    })
  })
  // Before the handler, which may send a part of the answer at once.
  server.prependListener('request', ({ socket }, response) => {
    slowReaders.add(response)
    response.once('close', () => {
      if (isDraining) socket.destroySoon()
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const isLate = error.code === LATE
    // A browser opens connections ahead of its requests. It would take a refusal for the answer to its next request.
    if (isLate && socket.bytesRead === 0) return cut(socket, 'no_request')
    // A reset by the peer is no decision of this server.
    if (error.code !== 'ECONNRESET') metrics.cut.inc({ reason: isLate ? 'request_timeout' : 'invalid_http' })
    refuse(socket, REFUSALS[error.code ?? ''] ?? 'The request is not valid HTTP.')
  })
  const sweeping = setInterval(() => slowReaders.sweep(), CHECK_EVERY_MS)
  sweeping.unref()
  server.once('close', () => clearInterval(sweeping))
  return {
    server,
    drain() {
      isDraining = true
      // `close` ends connections between two requests, and not those that have sent nothing yet.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
      setTimeout(() => {
        for (const socket of open) cut(socket, 'shutdown')
      }, limits.drainMs).unref()
    },
  }
}

/** Answers and closes the connection, because the next request can't be found in it. */
function refuse(socket: Socket, message: string): void {
  if (!socket.writable) return void socket.destroy()
  const id = randomUUID()
  const refusal = new ApiError('invalid_request', message)
  const body = JSON.stringify({ ...refusal.body, request_id: id })
  const headers = [
    'HTTP/1.1 400 Bad Request',
    `x-request-id: ${id}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.once('finish', () => socket.destroy())
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}
