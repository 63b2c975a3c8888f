import { z } from 'zod'
import { API_ERRORS, type ErrorCode } from '../domain/api-error.ts'
import { type Endpoint, keyAccessOf } from '../endpoints/endpoint.ts'
import { type Json, jsonSchemaOf } from '../endpoints/schemas/json-schema.ts'
import {
  answerHeaders,
  changesSomething,
  errorHeaders,
  HEADERS,
  headerParameters,
  isOfSession,
  mayCharge,
} from './openapi-headers.ts'
import { formatsOf } from './read-input.ts'
import { SESSION_COOKIE } from './session-cookies.ts'

const API_VERSION = '1.0.0'
const PARQUET = 'application/vnd.apache.parquet'
const COMPONENTS = '#/components/schemas/'
const GROUPS: Readonly<Record<string, string>> = {
  Public: 'Without a key.',
  Markets: 'What is recorded, and its books now.',
  Snapshots: 'Books of the past.',
  History: 'What follows from books of the past, and what is missing among them.',
  Exchange: 'Books of perpetual futures.',
  Account: 'What the calling key may do; and, for whoever is signed in, the keys and the plan of the account.',
  System: 'What the service says of itself.',
}
/** What every endpoint of its kind may answer, beside its own faults. */
const FAULTS_OF_ALL: readonly ErrorCode[] = ['invalid_request', 'internal', 'overloaded', 'store_unavailable']
const FAULTS_OF_KEYS: readonly ErrorCode[] = [
  'unauthenticated',
  'tier_not_allowed',
  'scope_not_allowed',
  'https_required',
  'rate_limited',
]
const FAULTS_OF_SESSIONS: readonly ErrorCode[] = [
  'unauthenticated',
  'https_required',
  'rate_limited',
  'sign_in_not_configured',
]
const FAULTS_OF_BODIES: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']
/** Flat files are a matter of the tier, and who shows no key has the lowest. */
const FAULTS_OF_FORMATS: readonly ErrorCode[] = ['tier_not_allowed', 'unauthenticated', 'rate_limited']
const FAULTS_OF_PRICED: readonly ErrorCode[] = ['out_of_credits', 'idempotency_mismatch', 'idempotency_spent']

export const ABOUT =
  'Order books of prediction markets and perpetual futures: recorded several times a second, proved by the venue’s own hash, every missing slot accounted for.'

const FIRST_STEPS = `Send your key as \`X-API-Key\`; what is in the group Public needs none. The open five-minute window of a coin and its book:

\`\`\`sh
curl -H "X-API-Key: $KEY" "$URL/v1/markets/live?crypto=BTC&timeframe=5m&limit=1"
curl -H "X-API-Key: $KEY" "$URL/v1/markets/by-slug/btc-updown-5m/orderbook"
\`\`\`

Times are text like \`2026-11-15T12:00:00.250Z\`, or epoch milliseconds where a member says so. Unknown, repeated and out-of-range parameters are answered 400 and never clamped. Every error is \`{error, message, status}\` with a stable code. The examples are answers of this service, with lists cut to two items and ladders to three levels.`

/** The error object of the interface, with what we add to it. */
const ErrorObject = z
  .object({
    error: z
      .enum(Object.keys(API_ERRORS) as [ErrorCode, ...ErrorCode[]])
      .describe('stable code, listed in docs/errors.md'),
    message: z.string().describe('a sentence for people; it may change'),
    status: z.int().describe('the HTTP status'),
    details: z.record(z.string(), z.unknown()).optional().describe('what helps to mend the request'),
    request_id: z.string().describe('tell us this when you ask about it'),
  })
  .meta({ id: 'Error' })

/** The whole interface as OpenAPI 3.1, made from the list of endpoints. */
export function openApi(endpoints: readonly Endpoint[], examples: Readonly<Record<string, unknown>> = {}): Json {
  const components: Json = {}
  const errorSchema = schemaOf(ErrorObject, 'output', components)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const operation = operationOf(endpoint, components, errorSchema, examples[endpoint.name])
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bookreel',
      version: API_VERSION,
      description: `${ABOUT}\n\n${FIRST_STEPS}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ group }) => group))].map((name) => ({
      name,
      ...(GROUPS[name] !== undefined && { description: GROUPS[name] }),
    })),
    paths,
    components: {
      schemas: components,
      headers: HEADERS,
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'A browser in which somebody is signed in, at `/account`. What changes something must come from a page of ours: with its `Origin`, and `X-Requested-With: bookreel`.',
        },
      },
    },
  }
}

function operationOf(endpoint: Endpoint, components: Json, errorSchema: Json, example: unknown): Json {
  const { access, name, group, summary, description } = endpoint
  const price = keyAccessOf(endpoint)?.credits ?? 0
  const words = [description, price > 0 && `Costs ${price} credits for each delivered answer.`]
    .filter(Boolean)
    .join('\n\n')
  const replySchema = endpoint.status === 204 ? {} : schemaOf(endpoint.reply, 'output', components)
  return {
    operationId: name,
    tags: [group],
    summary,
    ...(words !== '' && { description: words }),
    security: access === 'public' ? [] : [{ [access.by]: [] }],
    parameters: [
      ...parametersOf(endpoint.params, 'path', components),
      ...parametersOf(endpoint.query, 'query', components),
      ...(endpoint.method === 'GET' ? [formatParameter(endpoint)] : []),
      ...headerParameters(endpoint),
    ],
    ...(endpoint.requestBody && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(endpoint.requestBody, 'input', components) } },
      },
    }),
    responses: {
      [endpoint.status ?? 200]: {
        description: endpoint.status === 204 ? 'Done; there is nothing to tell.' : 'The answer.',
        headers: answerHeaders(endpoint),
        ...(endpoint.status !== 204 && { content: contentOf(endpoint, replySchema, example) }),
      },
      ...fileResponses(endpoint),
      ...responsesBeside(endpoint, replySchema, errorSchema),
    },
  }
}

function contentOf(endpoint: Endpoint, schema: Json, example: unknown): Json {
  const content: Json = { 'application/json': { schema, ...(example !== undefined && { example }) } }
  const formats = formatsOf(endpoint)
  if (formats.includes('csv')) content['text/csv'] = { schema: { type: 'string' } }
  if (formats.includes('tsv')) content['text/tab-separated-values'] = { schema: { type: 'string' } }
  if (formats.includes('parquet')) content[PARQUET] = {}
  return content
}

/** A stored file may be fetched in parts, and not at all by whoever has it already. */
function fileResponses(endpoint: Endpoint): Json {
  if (endpoint.file === undefined) return {}
  return {
    206: { description: 'The part that `Range` asked for.', content: { [PARQUET]: {} } },
    304: { description: 'What `If-None-Match` names is still the whole file.' },
  }
}

export function faultsOf(endpoint: Endpoint): ErrorCode[] {
  const { errors, method } = endpoint
  const kinds = [
    ...FAULTS_OF_ALL,
    ...(keyAccessOf(endpoint) === undefined ? [] : FAULTS_OF_KEYS),
    ...(isOfSession(endpoint) ? FAULTS_OF_SESSIONS : []),
    ...(changesSomething(endpoint) ? (['cross_site_refused'] as const) : []),
    // Also where no body is wanted, one may be sent.
    ...(method === 'GET' ? FAULTS_OF_FORMATS : FAULTS_OF_BODIES),
    ...(mayCharge(endpoint) ? FAULTS_OF_PRICED : []),
    ...errors,
  ]
  return [...new Set(kinds)]
}

/** Everything but 200. A status that may come with the reply as well as with an error has both schemas. */
function responsesBeside(endpoint: Endpoint, replySchema: Json, errorSchema: Json): Json {
  const responses = errorResponses(endpoint, errorSchema)
  for (const [status, says] of Object.entries(endpoint.otherStatuses ?? {})) {
    const error = responses[status]
    responses[status] = {
      headers: error?.headers ?? answerHeaders(endpoint),
      description: error === undefined ? says : `${says}\n\nOr an error: ${error.description}`,
      content: {
        'application/json': { schema: error === undefined ? replySchema : { oneOf: [replySchema, errorSchema] } },
      },
    }
  }
  return responses
}

interface Response {
  readonly description: string
  readonly headers: Json
  readonly content: Json
}

function errorResponses(endpoint: Endpoint, errorSchema: Json): Record<string, Response> {
  const withStatus = faultsOf(endpoint).flatMap((code) => {
    const statuses = [API_ERRORS[code].status as number]
    if (code === 'tier_not_allowed' && keyAccessOf(endpoint)?.tierStatus) statuses.push(402)
    return statuses.map((status) => ({ status, code }))
  })
  const byStatus = Map.groupBy(withStatus, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, each]) => [
      status,
      {
        description: each.map(({ code }) => `\`${code}\`: ${API_ERRORS[code].meaning}`).join('\n\n'),
        headers: errorHeaders(status),
        content: { 'application/json': { schema: errorSchema } },
      },
    ]),
  )
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', components: Json): Json[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => {
    const { description, ...rest } = schemaOf(member, 'input', components)
    const isRequired = place === 'path' || !member.safeParse(undefined).success
    return { name, in: place, required: isRequired, ...(description !== undefined && { description }), schema: rest }
  })
}

function formatParameter(endpoint: Endpoint): Json {
  return {
    name: 'format',
    in: 'query',
    required: false,
    description: 'anything but json needs the scale or enterprise tier',
    schema: { type: 'string', enum: formatsOf(endpoint), default: 'json' },
  }
}

/** JSON Schema of a zod schema, its named parts put among the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const { $defs, ...json } = jsonSchemaOf(schema, io)
  const text = (part: unknown): Json => JSON.parse(JSON.stringify(part).replaceAll('#/$defs/', COMPONENTS))
  for (const [name, part] of Object.entries($defs ?? {})) components[name] = withoutId(text(part))
  if (typeof json.id === 'string') {
    components[json.id] = withoutId(text(json))
    return { $ref: `${COMPONENTS}${json.id}` }
  }
  return text(json)
}

function withoutId(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== 'id'))
}
