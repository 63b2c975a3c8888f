import { describeMetrics, type MetricDefinition } from '@bookreel/service/roles/role-metrics'

/** The page of metrics, made from their definitions. */
export function metricsPage(): string {
  const rows = describeMetrics().map(rowOf)
  return `# Metrics

Made by \`npm run docs\` from the \`*-metrics.ts\` files of \`service/src\`. With \`METRICS_PORT\` set, each process serves the metrics of its roles, and those of Node itself, at \`http://127.0.0.1:<port>/metrics\` in the format of Prometheus.

\`api_*\` metrics are recorded by the request pipeline. \`transport\` is \`rest\`, \`mcp\` or \`stream\`. \`route\` is the name of an endpoint or a tool, \`mcp\` for an MCP message without a tool call, \`stream_connect\` or \`stream_replay\` for streams, and \`none\` for a request that reaches no endpoint. An API that serves streams, and a gateway, also have the \`stream\` series and the \`gateway_*\` metrics.

| Role | Name | Type | Labels | Meaning |
|---|---|---|---|---|
${rows.join('\n')}
`
}

function rowOf({ role, name, type, labelNames, help }: MetricDefinition): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ')
  return `| ${role} | \`${name}\` | ${type} | ${labels} | ${help} |`
}
