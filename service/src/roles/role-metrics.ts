import { Registry } from 'prom-client'
import { anonymousMetrics } from '../access/anonymous-metrics.ts'
import { connectionMetrics } from '../access/connection-metrics.ts'
import { captureMetrics } from '../capture/capture-metrics.ts'
import { gatewayMeter } from '../gateway/gateway-metrics.ts'
import { apiMetrics } from '../pipeline/api-metrics.ts'
import { missedMarketCounter } from '../pipeline/catalogue-metrics.ts'
import { rawMetrics } from '../raw/raw-metrics.ts'
import { archiveMetrics } from '../workers/archive-metrics.ts'
import { fileMetrics } from '../workers/file-metrics.ts'
import {
  catalogueMessageCounter,
  hotGroupGauge,
  hotRowCounter,
  paymentCheckCounter,
  probeCounter,
} from '../workers/worker-metrics.ts'

/** Which metrics each role creates; `api` includes those of the gateway where it serves streams. */
const ROLES: Record<string, readonly ((registry: Registry) => unknown)[]> = {
  api: [apiMetrics, connectionMetrics, anonymousMetrics, missedMarketCounter],
  gateway: [gatewayMeter, missedMarketCounter],
  capture: [captureMetrics, rawMetrics],
  archive: [archiveMetrics],
  hot: [hotRowCounter, hotGroupGauge],
  catalogue: [catalogueMessageCounter],
  payments: [paymentCheckCounter],
  prober: [probeCounter],
  files: [fileMetrics],
}

export interface MetricDefinition {
  readonly role: string
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labelNames: readonly string[]
}

/** Every metric of every role, for `docs/metrics.md`. */
export function describeMetrics(): MetricDefinition[] {
  return Object.entries(ROLES).flatMap(([role, definitions]) => {
    const registry = new Registry()
    for (const define of definitions) define(registry)
    const metrics = registry.getMetricsAsArray() as unknown as Omit<MetricDefinition, 'role'>[]
    return metrics.map(({ name, type, help, labelNames }) => ({ role, name, type, help, labelNames }))
  })
}
