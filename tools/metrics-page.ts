import { captureMetrics } from '@bookreel/service/capture/capture-metrics'
import { gatewayMeter } from '@bookreel/service/gateway/gateway-metrics'
import { apiMetrics } from '@bookreel/service/pipeline/api-metrics'
import { archiveMetrics } from '@bookreel/service/workers/archive-metrics'
import {
  catalogueMessageCounter,
  hotRowCounter,
  paymentCheckCounter,
  probeCounter,
} from '@bookreel/service/workers/worker-metrics'
import { Registry } from 'prom-client'

/** Which metrics each role creates; `api` includes those of the gateway where it serves streams. */
const ROLES: Record<string, readonly ((registry: Registry) => unknown)[]> = {
  api: [apiMetrics],
  gateway: [gatewayMeter],
  capture: [captureMetrics],
  archive: [archiveMetrics],
  hot: [hotRowCounter],
  catalogue: [catalogueMessageCounter],
  payments: [paymentCheckCounter],
  prober: [probeCounter],
}

/** The page of metrics, made from their definitions. */
export function metricsPage(): string {
  const rows = Object.entries(ROLES).flatMap(([role, definitions]) => {
    const registry = new Registry()
    for (const define of definitions) define(registry)
    return registry.getMetricsAsArray().map((metric) => rowOf(role, metric as unknown as Definition))
  })
  return `# Metrics

Made by \`npm run docs\` from the \`*-metrics.ts\` files of \`service/src\`. With \`METRICS_PORT\` set, each process serves the metrics of its roles, and those of Node itself, at \`http://127.0.0.1:<port>/metrics\` in the format of Prometheus.

\`api_*\` metrics are recorded by the request pipeline. \`transport\` is \`rest\`, \`mcp\` or \`stream\`. \`route\` is the name of an endpoint or a tool, \`mcp\` for an MCP message without a tool call, \`stream_connect\` or \`stream_replay\` for streams, and \`none\` for a request that reaches no endpoint. An API that serves streams, and a gateway, also have the \`stream\` series and the \`gateway_*\` metrics.

| Role | Name | Type | Labels | Meaning |
|---|---|---|---|---|
${rows.join('\n')}
`
}

interface Definition {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labelNames: readonly string[]
}

function rowOf(role: string, { name, type, labelNames, help }: Definition): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ')
  return `| ${role} | \`${name}\` | ${type} | ${labels} | ${help} |`
}
