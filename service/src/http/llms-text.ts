import { PACKS } from '../domain/packs.ts'
import { TIER_LIMITS, TIERS } from '../domain/tier.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { describeEndpoint, type EndpointDescription } from './endpoint-descriptions.ts'
import { ABOUT } from './openapi.ts'

/** The service for a reader that is a program: short, plain, and everything needed for a first right request. */
export function llmsText(endpoints: readonly Endpoint[]): string {
  const groups = Map.groupBy(endpoints.map(describeEndpoint), ({ group }) => group)
  return `# Bookreel

> ${ABOUT}

## Ask

- Every path below stands on this host. Data endpoints take the header \`X-API-Key: br_live_…\`; those marked public take none; those marked session are for people, in a browser that signed in at \`/account\`.
- The current window of a coin: \`GET /v1/markets/live?crypto=BTC&timeframe=5m&limit=1\`; its book: \`GET /v1/markets/{id}/orderbook\` with its \`conditionId\`.
- Times are \`2026-11-15T12:00:00.250Z\`; parameters also take epoch seconds or milliseconds.
- A market has two tokens: UP (index 0) and DOWN (index 1). Prices are between 0 and 1. Ladders have the best price first.
- Unknown, repeated and out-of-range parameters are answered 400; \`details\` names what is allowed. Nothing is clamped.
- GET answers are JSON; \`format=csv\` and \`format=tsv\` need the scale or enterprise tier.

## Endpoints

${[...groups].map(([group, each]) => `### ${group}\n\n${each.map(lineOf).join('\n')}`).join('\n\n')}

A parameter with \`*\` is required. Every GET also takes \`format\`.

## What the numbers promise

- \`sequence_number\` (\`sequenceNumber\`) is the sampling slot: consecutive numbers have nothing between them, a jump is a gap with a record.
- \`capture_timestamp\` is when the sample was taken, \`event_timestamp\` the venue's time of the last change. To avoid look-ahead, order and join by capture time.
- The flag \`verified\` means: proved equal to the venue's own book by its published hash.
- A missing slot has a gap record with a cause. An empty answer says why: \`X-Empty-Reason\` or \`empty_reason\`.
- A live book in a gap has \`stale: true\` for up to 60 s, then 404 \`no_recent_data\`.

## Price

Credits are charged for delivered answers only. A retry with the same \`Idempotency-Key\` is free.

${TIERS.map(tierLine).join('\n')}

Packs (\`GET /v1/payments/packs\`): ${PACKS.map(({ id, priceUsd, credits }) => `${id} $${priceUsd} (${credits.toLocaleString('en')} credits)`).join(', ')}.

Over the rate: 429 with \`Retry-After\`. Without credits: 402 \`out_of_credits\`. Outside the tier: 403 \`tier_not_allowed\` (402 on the snapshots list).

## Errors

\`{"error": "<code>", "message": "<sentence>", "status": <number>, "details": {…}, "request_id": "…"}\`. Codes are stable, messages are not.

## More

- [/docs](/docs): the reference, to read and to try
- \`/mcp\`: the same as tools, by the Model Context Protocol (stateless Streamable HTTP; the key as \`X-API-Key\` or \`Authorization: Bearer\`). Short answers, estimates before paying
- [/openapi.json](/openapi.json): OpenAPI 3.1 with an example of every answer
- [/health](/health), [/v1/status](/v1/status): how the service is
`
}

function lineOf({ method, path, summary, access, credits, parameters }: EndpointDescription): string {
  const notes = [
    access,
    credits !== '0' && (credits === 'by size' ? 'credits by size' : `${credits} credits`),
    parameters.length > 0 && `takes ${parameters.join(', ')}`,
  ]
  return `- \`${method} ${path}\`: ${summary} (${notes.filter(Boolean).join('; ')})`
}

function tierLine(tier: (typeof TIERS)[number]): string {
  const { rpm, historyHours, creditsPerMonth, categories, maxKeys } = TIER_LIMITS[tier]
  const history = historyHours === 0 ? 'all history' : `${historyHours} h of history`
  return `- ${tier}: ${creditsPerMonth.toLocaleString('en')} credits a month, ${rpm} requests a minute, ${history}, ${maxKeys} key${maxKeys === 1 ? '' : 's'}, ${categories.join(', ')}`
}
