import { connect, type NatsConnection } from '@nats-io/transport-node'

export interface BusAddress {
  url: string
  user: string
  password: string
}

/** One connection for all of a process; it comes back by itself for as long as the process lives. */
export function connectBus({ url, user, password }: BusAddress, name: string): Promise<NatsConnection> {
  return connect({
    servers: url,
    user,
    pass: password,
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
  })
}
