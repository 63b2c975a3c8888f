import { endpoints } from '@bookreel/service/endpoints/index'
import { describeEndpoint, type EndpointDescription } from '@bookreel/service/http/endpoint-descriptions'

/** The page of endpoints, made from the list that serves them. */
export function endpointsPage(): string {
  const groups = Map.groupBy(endpoints.map(describeEndpoint), ({ group }) => group)
  const sections = [...groups].map(([group, each]) => {
    const rows = each.map(rowOf).join('\n')
    return `## ${group}

| | Path | What | For | Credits | Formats | Parameters |
|---|---|---|---|---|---|---|
${rows}
`
  })
  return `# Endpoints

Made by \`npm run docs\` from \`service/src/endpoints/index.ts\`. Everything in detail, with an example of every answer: \`/docs\` of a running service, or [openapi.json](openapi.json). Errors: [errors.md](errors.md).

"Any key" is still bound to what its tier includes, such as categories and history. A parameter with * is required; every GET also takes \`format\`, of which anything but json needs the scale or enterprise tier.

${sections.join('\n')}`
}

function rowOf({ method, path, summary, access, credits, formats, parameters }: EndpointDescription): string {
  const names = parameters.map((name) => `\`${name}\``).join(' ')
  return `| ${method} | \`${path}\` | ${summary} | ${access} | ${credits} | ${formats.join(', ')} | ${names} |`
}
