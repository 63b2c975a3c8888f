import { PACKS } from '../domain/packs.ts'
import { BOOK_PRICE } from '../domain/prices.ts'
import { TIER_LIMITS, TIERS } from '../domain/tier.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { VENUE_CHOICES } from '../endpoints/schemas/parameters.ts'
import { describeEndpoint, type EndpointDescription } from './endpoint-descriptions.ts'
import { ABOUT } from './openapi.ts'

const [usualVenue, ...otherVenues] = VENUE_CHOICES

/** Describes the service for language models: what is needed for a first correct request. */
export function llmsText(endpoints: readonly Endpoint[]): string {
  const groups = Map.groupBy(endpoints.map(describeEndpoint), ({ group }) => group)
  return `# Bookreel

> ${ABOUT}

## Requests

- All paths are on this host. Data endpoints need the header \`X-API-Key: br_live_…\` or \`Authorization: Bearer br_live_…\`. Endpoints marked public need no key. Endpoints marked session work only in a browser that is signed in at \`/app\`.
- The current window of a coin: \`GET /v1/markets/live?crypto=BTC&timeframe=5m&limit=1\`; its book: \`GET /v1/markets/{id}/orderbook\` with its \`conditionId\`.
- Lists, slugs and streams mean markets of \`${usualVenue}\`; the parameter \`venue\` chooses others (${otherVenues.join(', ')}). Answers state \`venue\`. Condition ids and token ids are found whatever the venue.
- Times are \`2026-11-15T12:00:00.250Z\`; parameters also take epoch seconds or milliseconds.
- A market has two tokens: UP (index 0) and DOWN (index 1). Prices are between 0 and 1. Ladders have the best price first.
- Unknown, repeated and out-of-range parameters are refused with 400; \`details\` names what is allowed. Values are never clamped.
- Endpoints with the parameter \`form\` also answer in the declared schema (\`form=declared\`: snake_case, levels as \`[price, size]\`).
- GET answers are JSON; \`format=csv\` and \`format=tsv\` need the scale or enterprise tier.

## Endpoints

${[...groups].map(([group, each]) => `### ${group}\n\n${each.map(lineOf).join('\n')}`).join('\n\n')}

A parameter with \`*\` is required. Every GET also accepts \`format\`.

## Data guarantees

- \`sequence_number\` (\`sequenceNumber\`) is the sampling slot: nothing is missing between consecutive numbers; a jump is a gap with a record.
- \`capture_timestamp\` is when the sample was taken, \`event_timestamp\` the venue's time of the last change. To avoid look-ahead, sort and join by capture time.
- The flag \`verified\` means that the book was proved equal to the venue's book by the hash that the venue publishes; \`unverified\` that the proof that the venue offers does not hold. \`proof\` says which proof that is: \`hash\`, \`sequence\` (numbered changes; such a book is never \`verified\`) or \`none\`.
- A missing slot has a gap record with a cause. An empty answer has a reason: \`X-Empty-Reason\` or \`empty_reason\`.
- A live book in a gap has \`stale: true\` for up to 60 s, then 404 \`no_recent_data\`.

## Credits and tiers

Credits are charged for delivered answers only. A retry with the same \`Idempotency-Key\` is free. Stored books with their levels from \`/v1/asof\`, \`/api/snapshot\`, \`/v1/exchange/snapshots\` and fine heat maps are ${BOOK_PRICE}.

${TIERS.map(tierLine).join('\n')}

Packs (\`GET /v1/payments/packs\`): ${PACKS.map(({ id, priceUsd, credits }) => `${id} $${priceUsd} (${credits.toLocaleString('en')} credits)`).join(', ')}.

Rate limit exceeded: 429 with \`Retry-After\`. Not enough credits: 402 \`out_of_credits\`. Not included in the tier: 403 \`tier_not_allowed\` (402 on the snapshots list).

## Errors

\`{"error": "<code>", "message": "<sentence>", "status": <number>, "details": {…}, "request_id": "…"}\`. Codes are stable; messages may change.

## More

- [/docs](/docs): interactive API reference
- \`/mcp\`: the same data as tools of the Model Context Protocol (stateless Streamable HTTP; the same headers). Answers are short, and \`estimate\` tells the cost in advance
- [/openapi.json](/openapi.json): OpenAPI 3.1 with example answers
- [/health](/health), [/v1/status](/v1/status): health and status of the service
`
}

function lineOf({ method, path, summary, access, scope, credits, parameters }: EndpointDescription): string {
  const notes = [
    access,
    scope !== '' && `scope ${scope}`,
    credits !== '0' && (credits === 'by size' ? 'credits by size' : `${credits} credits`),
    parameters.length > 0 && `parameters: ${parameters.join(', ')}`,
  ]
  return `- \`${method} ${path}\`: ${summary} (${notes.filter(Boolean).join('; ')})`
}

function tierLine(tier: (typeof TIERS)[number]): string {
  const { rpm, historyHours, creditsPerMonth, categories, maxKeys } = TIER_LIMITS[tier]
  const history = historyHours === 0 ? 'all history' : `${historyHours} h of history`
  return `- ${tier}: ${creditsPerMonth.toLocaleString('en')} credits per month, ${rpm} requests per minute, ${history}, ${maxKeys} key${maxKeys === 1 ? '' : 's'}, ${categories.join(', ')}`
}
