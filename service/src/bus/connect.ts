import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { inboxOf } from '../domain/grants/nats-grants.ts'

export interface BusAddress {
  url: string
  user: string
  password: string
}

/** A connection that reconnects by itself for as long as the process runs. */
export function connectBus({ url, user, password }: BusAddress, name: string): Promise<NatsConnection> {
  return connect({
    servers: url,
    // The client does not read the scheme: without this it would follow a server that offers no TLS.
    ...(url.startsWith('tls:') && { tls: {} }),
    user,
    pass: password,
    name,
    inboxPrefix: inboxOf(user === '' ? 'anybody' : user),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
  })
}

const DRAIN_WITHIN_MS = 3_000

/** Drains the connection; the timeout is for a drain while NATS is unavailable, which would wait until it is back. */
export async function drainBus(connection: NatsConnection): Promise<void> {
  await Promise.race([connection.drain(), sleep(DRAIN_WITHIN_MS, undefined, { ref: false })]).catch(() => {})
  await connection.close()
}
