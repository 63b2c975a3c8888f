import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Registry } from 'prom-client'
import { z } from 'zod'
import { type Clock, wallClock } from '../domain/clock.ts'
import type { Heartbeat, Metric } from '../domain/heartbeat.ts'

export interface HeartbeatDeps {
  readonly roles: readonly string[]
  readonly registry: Registry
  /** Called again when connecting fails. */
  readonly connect: () => Promise<NatsConnection>
  readonly onTrouble: (error: unknown) => void
  /** Default: that of the machine. */
  readonly nowMs?: Clock
  /** Default 1000. */
  readonly everyMs?: number
}

export const ALL_HEARTBEATS = 'pulse.*.*'
export const HEARTBEAT_EVERY_MS = 1_000
const RETRY_AFTER_MS = 2_000
/** Metrics that prom-client collects about Node itself. */
const NODE_METRICS = /^(process|nodejs)_/

const HeartbeatMessage = z.object({
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

/** Publishes the metrics of this process once a second; a heartbeat that nobody receives is not repeated. */
export async function runHeartbeat(deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const process = randomUUID().slice(0, 8)
  const nowMs = deps.nowMs ?? wallClock
  const startedAtMs = nowMs()
  const subject = `pulse.${deps.roles.join('-')}.${process}`
  const connection = await untilConnected(deps, signal)
  if (connection === undefined) return
  let isFlushed = true
  while (!signal.aborted) {
    // Skipped until the last one is flushed: heartbeats would pile up, and arrive late.
    if (isFlushed) {
      const metrics = await readMetrics(deps.registry)
      const heartbeat: Heartbeat = { roles: deps.roles, process, atMs: nowMs(), startedAtMs, metrics }
      connection.publish(subject, JSON.stringify(heartbeat))
      isFlushed = false
      const flushed = (): void => {
        isFlushed = true
      }
      connection.flush().then(flushed, flushed)
    }
    await sleep(deps.everyMs ?? HEARTBEAT_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  await connection.close()
}

/** Throws when the bytes are not a heartbeat. */
export function readHeartbeat(bytes: Uint8Array): Heartbeat {
  return HeartbeatMessage.parse(JSON.parse(new TextDecoder().decode(bytes)))
}

/** Retries until NATS is reachable; undefined when the signal comes first. */
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
  const metrics = registry.getMetricsAsArray().filter(({ name }) => !NODE_METRICS.test(name))
  const read = await Promise.all(metrics.map(async ({ name }) => registry.getSingleMetric(name)?.get()))
  return read.flatMap((metric) => {
    if (metric === undefined || (String(metric.type) !== 'counter' && String(metric.type) !== 'gauge')) return []
    const readings = metric.values.map(({ labels, value }) => ({
      labels: Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, String(label)])),
      value,
    }))
    return [{ name: metric.name, kind: String(metric.type) as Metric['kind'], readings }]
  })
}
