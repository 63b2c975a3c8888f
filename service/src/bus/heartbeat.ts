import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Registry } from 'prom-client'
import { z } from 'zod'
import type { Heartbeat, Metric } from '../domain/heartbeat.ts'

export interface HeartbeatDeps {
  readonly roles: readonly string[]
  readonly registry: Registry
  /** Called again when the connection could not be made. */
  readonly connect: () => Promise<NatsConnection>
  readonly onTrouble: (error: unknown) => void
  /** Default 1000. */
  readonly everyMs?: number
}

export const ALL_PULSES = 'pulse.*.*'
export const HEARTBEAT_EVERY_MS = 1_000
const RETRY_AFTER_MS = 2_000
/** What prom-client tells of Node itself. */
const NOT_OURS = /^(process|nodejs)_/

const PulseMessage = z.object({
  roles: z.array(z.string()),
  process: z.string(),
  atMs: z.number(),
  startedAtMs: z.number(),
  metrics: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['counter', 'gauge']),
      readings: z.array(z.object({ labels: z.record(z.string(), z.string()), value: z.number() })),
    }),
  ),
})

/** Tells what this process counts, once a second and to nobody in particular; what is not heard is not repeated. */
export async function runHeartbeat(deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const process = randomUUID().slice(0, 8)
  const startedAtMs = Date.now()
  const subject = `pulse.${deps.roles.join('-')}.${process}`
  const connection = await untilConnected(deps, signal)
  if (connection === undefined) return
  let isTaken = true
  while (!signal.aborted) {
    // Not while the bus has yet to take the one before: it would pile up, and arrive as old news.
    if (isTaken) {
      const metrics = await readMetrics(deps.registry)
      const pulse: Heartbeat = { roles: deps.roles, process, atMs: Date.now(), startedAtMs, metrics }
      connection.publish(subject, JSON.stringify(pulse))
      isTaken = false
      const taken = (): void => {
        isTaken = true
      }
      connection.flush().then(taken, taken)
    }
    await sleep(deps.everyMs ?? HEARTBEAT_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  await connection.close()
}

/** Throws when the bytes are no pulse. */
export function readPulse(bytes: Uint8Array): Heartbeat {
  return PulseMessage.parse(JSON.parse(new TextDecoder().decode(bytes)))
}

/** A process lives without the bus, so it waits for it. */
export async function untilConnected(
  { connect, onTrouble }: Pick<HeartbeatDeps, 'connect' | 'onTrouble'>,
  signal: AbortSignal,
): Promise<NatsConnection | undefined> {
  while (!signal.aborted) {
    try {
      const connection = await connect()
      if (!signal.aborted) return connection
      await connection.close()
    } catch (error) {
      onTrouble(error)
      await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
    }
  }
  return undefined
}

async function readMetrics(registry: Registry): Promise<Metric[]> {
  const ours = registry.getMetricsAsArray().filter(({ name }) => !NOT_OURS.test(name))
  const read = await Promise.all(ours.map(async ({ name }) => registry.getSingleMetric(name)?.get()))
  return read.flatMap((metric) => {
    if (metric === undefined || (String(metric.type) !== 'counter' && String(metric.type) !== 'gauge')) return []
    const readings = metric.values.map(({ labels, value }) => ({
      labels: Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, String(label)])),
      value,
    }))
    return [{ name: metric.name, kind: String(metric.type) as Metric['kind'], readings }]
  })
}
