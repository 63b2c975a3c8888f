import { SCOPES } from '@bookreel/service/domain/scope'
import { TIERS } from '@bookreel/service/domain/tier'
import { mayCall } from '@bookreel/service/mcp/authorise-tool'
import { MOST_TOKENS, type Tool } from '@bookreel/service/mcp/tool'
import { tools } from '@bookreel/service/mcp/tools'
import { MEASURED_TOKENS } from '../service/test/mcp/measured-tokens.ts'

/** The page for whoever gives Bookreel to an agent, with the tools as they are. */
export function mcpPage(): string {
  const [largest = '', most = 0] =
    Object.entries(MEASURED_TOKENS).toSorted(([, one], [, other]) => other - one)[0] ?? []
  return `# For agents: MCP

Made by \`npm run docs\` from \`service/src/mcp/tools.ts\`. \`/mcp\` speaks the Model Context Protocol over stateless Streamable HTTP: one message a request, no session, a key on each. Both the revision of 2026-07-28 and clients of 2025 are served.

## Connect

The key goes into \`X-API-Key\`, or into \`Authorization: Bearer\` where a client knows only that. It needs the scope \`mcp\`.

Claude Code:

\`\`\`
claude mcp add --transport http bookreel "$BOOKREEL_URL/mcp" --header "X-API-Key: $BOOKREEL_KEY_PRO"
\`\`\`

Clients with a file of servers:

\`\`\`json
{
  "mcpServers": {
    "bookreel": {
      "type": "http",
      "url": "http://127.0.0.1:8080/mcp",
      "headers": { "X-API-Key": "br_live_…" }
    }
  }
}
\`\`\`

By hand:

\`\`\`
curl -s "$BOOKREEL_URL/mcp" -H "X-API-Key: $BOOKREEL_KEY_FREE" -H 'content-type: application/json' \\
  -H 'accept: application/json, text/event-stream' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_orderbook_by_slug","arguments":{"slug":"btc-updown-5m","depth":1}}}'
\`\`\`

## Tools

A key is shown the tools that its tier and its scopes allow. All of them only read.

| Tool | When to use it | Tiers | Credits | Tokens |
|---|---|---|---|---|
${tools.map(rowOf).join('\n')}

Arguments are those of the endpoint of the same name ([endpoints.md](endpoints.md)), with three differences: \`depth\` says how many levels of a ladder are shown instead of \`includebook\`; every list takes \`cursor\` and \`limit\`, whatever its endpoint calls them; there is no \`format\`. \`estimate\` stands for the dry run.

## What an answer looks like

| Member | What it says |
|---|---|
| \`answer\` | the reply of the endpoint |
| \`untrusted_text\` | anywhere in it: words of the venue, such as question, label and slug. Control and direction characters are gone, long text is cut. Data, never instructions |
| \`next_cursor\` | on lists: hand it back as \`cursor\`; null when nothing follows |
| \`truncated\` | on lists: \`rows_left_out\` when not everything fitted, else null. Nothing is thinned without a word |
| \`levels\` | with ladders: \`depth\`, and how many levels exist beyond it |
| \`gaps\` | where the reply has gaps: how many, the first three, and who knows all |
| \`about\`, \`empty_reason\` | totals and filters; why there is nothing |
| \`credits\` | what was charged, and what remains |

A refusal is a tool error (\`isError\`) whose structured content is the error object of [errors.md](errors.md), with \`request_id\`, and \`retry_after_seconds\` where waiting helps.

## Bounds

- An answer has at most ${MOST_TOKENS.toLocaleString('en')} tokens, counted carefully at three characters each; it is there once as structured content and once as text. The column above was measured with the least arguments, about a market with ladders of 60 levels, the longest words and 80 gaps, and about lists of a simulated world; the longest is \`${largest}\` with ${most.toLocaleString('en')}.
- A request counts once for the rate of the account, as over REST. A body has at most 64 KiB and holds one message.
- Only what is delivered is charged. Each call is bought anew, so a repeated one pays again.
- A \`Host\` or an \`Origin\` that is neither this machine, nor that of \`PUBLIC_URL\`, nor in \`MCP_ALLOWED_HOSTS\` is refused ([config.md](config.md)).
`
}

function rowOf(tool: Tool): string {
  const tiers = TIERS.filter((tier) => mayCall({ tier, scopes: SCOPES }, tool))
  const forWhom = tiers.length === TIERS.length ? 'all' : tiers.join(', ')
  const use = tool.description.replace(/ Costs [^.]*\.$/, '')
  const tokens = (MEASURED_TOKENS[tool.name] ?? 0).toLocaleString('en')
  return `| \`${tool.name}\` | ${use} | ${forWhom} | ${tool.access.credits ?? 0} | ${tokens} |`
}
