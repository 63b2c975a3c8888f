import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressGroup } from './address-group.ts'
import type { ConnectionMetrics } from './connection-metrics.ts'

export interface ConnectionLimits {
  /** Connections without a valid key, from one IPv4 address or IPv6 network. */
  readonly maxPerAddress: number
  /** Connections without a valid key, from all addresses. */
  readonly maxAnonymous: number
  /** Connections of one account that are protected from being closed for anonymous ones. */
  readonly maxPerAccount: number
  /** How long unread bytes may wait, beside the time that a slow line needs for them. */
  readonly unreadMs: number
  readonly minBytesPerSecond: number
  /** A connection without a request in progress is closed after this time, whatever bytes it receives. */
  readonly withoutRequestMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxPerAddress: 256,
  maxAnonymous: 4_000,
  maxPerAccount: 256,
  unreadMs: 30_000,
  minBytesPerSecond: 16 * 1024,
  withoutRequestMs: 15_000,
}

type Kind = 'anonymous' | 'keyed' | 'proxy'

interface Guarded {
  readonly socket: Socket
  readonly group: string
  kind: Kind
  /** WebSockets have their own rules for slow readers. */
  isUpgraded: boolean
  openRequests: number
  /** When the last request ended, or the connection began. */
  idleSinceMs: number
  /** Bytes that the operating system had accepted at the last progress. */
  sentBytes: number
  unreadSinceMs: number | undefined
}

const NEW = { isUpgraded: false, openRequests: 0, sentBytes: 0, unreadSinceMs: undefined }

/** The guard of each open socket, so that a request can tell that its connection belongs to a customer. */
const guards = new WeakMap<Duplex, { guard: ConnectionGuard; guarded: Guarded }>()

/** Call it when a request of this connection was authenticated: the connection is not closed for anonymous ones. */
export function noteKeyed(socket: Duplex, accountId: string): void {
  const found = guards.get(socket)
  found?.guard.noteKeyed(found.guarded, accountId)
}

/** Call it when the connection becomes a WebSocket. */
export function noteUpgraded(socket: Duplex): void {
  const found = guards.get(socket)
  if (found !== undefined) found.guarded.isUpgraded = true
}

/**
 * Bounds the connections that callers without a key can hold. Nobody is refused at the door, because a connection shows
 * only later whether it has a key: above a limit the oldest anonymous connections are closed. When all addresses
 * together hold too many, each may hold fewer, so those with the most lose them. Connections from trusted proxies carry requests of many callers and are never closed here.
 */
export class ConnectionGuard {
  readonly #limits: ConnectionLimits
  readonly #metrics: ConnectionMetrics
  readonly #isProxy: (address: string) => boolean
  readonly #nowMs: () => number
  readonly #open = new Set<Guarded>()
  readonly #ofAccount = new Map<string, number>()
  #isDraining = false

  constructor(options: {
    limits: ConnectionLimits
    metrics: ConnectionMetrics
    isProxy: (address: string) => boolean
    nowMs?: () => number
  }) {
    this.#limits = options.limits
    this.#metrics = options.metrics
    this.#isProxy = options.isProxy
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open.size
  }

  add(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const kind = this.#isProxy(address) ? 'proxy' : 'anonymous'
    const guarded: Guarded = { socket, group: addressGroup(address), kind, idleSinceMs: this.#nowMs(), ...NEW }
    this.#open.add(guarded)
    guards.set(socket, { guard: this, guarded })
    this.#metrics.open.inc({ kind })
    socket.once('close', () => {
      this.#open.delete(guarded)
      this.#metrics.open.dec({ kind: guarded.kind })
    })
  }

  addRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    const guarded = guards.get(socket)?.guarded
    if (guarded === undefined) return
    guarded.openRequests++
    response.once('close', () => {
      guarded.openRequests--
      guarded.idleSinceMs = this.#nowMs()
      if (this.#isDraining && guarded.openRequests === 0) socket.destroySoon()
    })
  }

  noteKeyed(guarded: Guarded, accountId: string): void {
    const held = this.#ofAccount.get(accountId) ?? 0
    if (guarded.kind !== 'anonymous' || guarded.socket.destroyed || held >= this.#limits.maxPerAccount) return
    guarded.kind = 'keyed'
    this.#metrics.open.dec({ kind: 'anonymous' })
    this.#metrics.open.inc({ kind: 'keyed' })
    this.#ofAccount.set(accountId, held + 1)
    guarded.socket.once('close', () => {
      const left = (this.#ofAccount.get(accountId) ?? 1) - 1
      if (left > 0) this.#ofAccount.set(accountId, left)
      else this.#ofAccount.delete(accountId)
    })
  }

  /** Closes what is above a limit. Call it every second. */
  sweep(): void {
    for (const guarded of this.#open) {
      if (guarded.isUpgraded) continue
      this.#checkReader(guarded)
      this.#checkIdle(guarded)
    }
    const anonymous = [...this.#open].filter(({ kind, socket }) => kind === 'anonymous' && !socket.destroyed)
    const byGroup = [...Map.groupBy(anonymous, ({ group }) => group).values()]
    const { maxPerAddress, maxAnonymous } = this.#limits
    const sizeWith = (each: number): number => byGroup.reduce((sum, { length }) => sum + Math.min(length, each), 0)
    let perAddress = maxPerAddress
    while (perAddress > 1 && sizeWith(perAddress) > maxAnonymous) perAddress = Math.floor(perAddress / 2)
    const reason = perAddress === maxPerAddress ? 'address_limit' : 'anonymous_limit'
    for (const connections of byGroup) {
      for (const { socket } of connections.slice(0, Math.max(0, connections.length - perAddress)))
        this.cut(socket, reason)
    }
    const left = anonymous.filter(({ socket }) => !socket.destroyed)
    for (const { socket } of left.slice(0, Math.max(0, left.length - maxAnonymous))) this.cut(socket, 'anonymous_limit')
  }

  /** Closes the connections without a request in progress at once, and the others after a time. */
  drain(withinMs: number): void {
    this.#isDraining = true
    for (const { socket, openRequests, isUpgraded } of this.#open) {
      if (openRequests === 0 && !isUpgraded) socket.destroy()
    }
    setTimeout(() => {
      for (const { socket } of this.#open) this.cut(socket, 'shutdown')
    }, withinMs).unref()
  }

  /** No byte moved for a time. Without a request in progress this is the usual end of an idle connection. */
  cutSilent(socket: Socket): void {
    const isIdle = guards.get(socket)?.guarded.openRequests === 0
    if (isIdle) socket.destroy()
    else this.cut(socket, 'stalled_reader')
  }

  cut(socket: Socket, reason: string): void {
    if (socket.destroyed) return
    this.#metrics.cut.inc({ reason })
    socket.destroy()
  }

  /** An empty line now and then keeps a connection open for Node.js, because it is not the beginning of a request. */
  #checkIdle({ socket, kind, openRequests, idleSinceMs }: Guarded): void {
    if (kind === 'proxy' || openRequests > 0) return
    if (this.#nowMs() - idleSinceMs > this.#limits.withoutRequestMs) this.cut(socket, 'no_request')
  }

  /** Closes the connection when bytes wait for longer than the slowest allowed line needs to read them. */
  #checkReader(guarded: Guarded): void {
    const { socket } = guarded
    const unreadBytes = socket.writableLength
    const sentBytes = socket.bytesWritten - unreadBytes
    if (unreadBytes === 0 || sentBytes !== guarded.sentBytes) {
      guarded.sentBytes = sentBytes
      guarded.unreadSinceMs = unreadBytes === 0 ? undefined : this.#nowMs()
      return
    }
    guarded.unreadSinceMs ??= this.#nowMs()
    const { unreadMs, minBytesPerSecond } = this.#limits
    const allowedMs = unreadMs + (unreadBytes / minBytesPerSecond) * 1_000
    if (this.#nowMs() - guarded.unreadSinceMs > allowedMs) this.cut(socket, 'slow_reader')
  }
}
