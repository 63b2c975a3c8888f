import { z } from 'zod'
import { API_ERRORS, type ErrorCode } from '../domain/api-error.ts'
import { deprecationText } from '../endpoints/deprecation.ts'
import { type Endpoint, keyAccessOf } from '../endpoints/endpoint.ts'
import { type Json, jsonSchemaOf } from '../endpoints/schemas/json-schema.ts'
import { TIME_BOUNDS } from '../endpoints/schemas/moment.ts'
import { answerExamples, type ErrorExamples, errorExampleComponents, errorExamples } from './openapi-examples.ts'
import { eitherForm, formParameters } from './openapi-forms.ts'
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
  Public: 'Endpoints that need no key.',
  Markets: 'Recorded markets and their live order books.',
  Snapshots: 'Stored order books.',
  History: 'Bars, trades, gaps and other data derived from stored order books.',
  Files: 'Files of whole days, and the signed manifests that prove them.',
  Exchange: 'Order books of perpetual futures.',
  Account: 'Limits and usage of the calling key; for signed-in users also keys and plan of the account.',
  System: 'Health, status and metadata of the service.',
}
/** Errors that all endpoints of a kind share; each endpoint lists its own. */
const ERRORS_OF_ALL: readonly ErrorCode[] = ['invalid_request', 'internal', 'overloaded', 'store_unavailable']
const ERRORS_OF_KEYS: readonly ErrorCode[] = [
  'unauthenticated',
  'tier_not_allowed',
  'scope_not_allowed',
  'https_required',
  'rate_limited',
]
const ERRORS_OF_SESSIONS: readonly ErrorCode[] = [
  'unauthenticated',
  'https_required',
  'rate_limited',
  'sign_in_not_configured',
]
const ERRORS_OF_BODIES: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']
/** `format` depends on the tier, also on public endpoints, where requests without a key have the free tier. */
const ERRORS_OF_FORMATS: readonly ErrorCode[] = ['tier_not_allowed', 'unauthenticated', 'rate_limited']
const ERRORS_OF_PRICED: readonly ErrorCode[] = ['out_of_credits', 'idempotency_mismatch', 'idempotency_spent']

export const ABOUT =
  'Order books of prediction markets and perpetual futures: recorded several times a second, proved by the venue’s own hash, every missing slot accounted for.'

const FIRST_STEPS = `Send your key as \`X-API-Key: <key>\` or \`Authorization: Bearer <key>\`; endpoints of the group Public need no key. To get the current five-minute window of a coin and its order book:

\`\`\`sh
curl -H "X-API-Key: $KEY" "$URL/v1/markets/live?crypto=BTC&timeframe=5m&limit=1"
curl -H "X-API-Key: $KEY" "$URL/v1/markets/by-slug/btc-updown-5m/orderbook"
\`\`\`

Times are text like \`2026-11-15T12:00:00.250Z\`, or epoch milliseconds where a member says so; parameters accept times ${TIME_BOUNDS}. Unknown, repeated and out-of-range parameters are refused with 400; values are never clamped. Every error is \`{error, message, status}\` with a stable code. The examples are recorded answers, with lists cut to two items and ladders to three levels.`

const ErrorObject = z
  .object({
    error: z
      .enum(Object.keys(API_ERRORS) as [ErrorCode, ...ErrorCode[]])
      .describe('stable code, listed in docs/errors.md'),
    message: z.string().describe('explanation for people; the text may change'),
    status: z.int().describe('HTTP status'),
    details: z.record(z.string(), z.unknown()).optional().describe('facts that help to correct the request'),
    request_id: z.string().describe('identifies this request; include it when you contact support'),
  })
  .meta({ id: 'Error' })

/** Generates the OpenAPI 3.1 document from the list of endpoints. */
export function openApi(
  endpoints: readonly Endpoint[],
  examples: Readonly<Record<string, unknown>> = {},
  errors: ErrorExamples = {},
): Json {
  const components: Json = {}
  const errorSchema = schemaOf(ErrorObject, 'output', components)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const operation = operationOf(endpoint, components, errorSchema, { examples, errors })
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
      examples: errorExampleComponents(errors, paths),
      headers: headersIn(paths),
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'An API key. It is used when `Authorization` is sent too.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same API key as a Bearer token.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'Session cookie of a browser that is signed in at `/app`. Requests that change something must come from this site: with its `Origin`, and `X-Requested-With: bookreel`.',
        },
      },
    },
  }
}

/** Headers that no endpoint has now, such as those of deprecated ones, are left out. */
function headersIn(paths: Json): Json {
  const text = JSON.stringify(paths)
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => text.includes(`/headers/${name}"`)))
}

interface Examples {
  readonly examples: Readonly<Record<string, unknown>>
  readonly errors: ErrorExamples
}

function operationOf(endpoint: Endpoint, components: Json, errorSchema: Json, { examples, errors }: Examples): Json {
  const { access, name, group, summary, description, deprecated } = endpoint
  const price = keyAccessOf(endpoint)?.credits ?? 0
  const text = [
    deprecated && deprecationText(deprecated),
    description,
    scopeText(endpoint),
    price > 0 && `Costs ${price} credit${price === 1 ? '' : 's'} for each delivered answer.`,
  ]
    .filter(Boolean)
    .join('\n\n')
  const replySchema = endpoint.status === 204 ? {} : replySchemaOf(endpoint, components)
  return {
    operationId: name,
    ...(deprecated && { deprecated: true }),
    tags: [group],
    summary,
    ...(text !== '' && { description: text }),
    security: securityOf(access),
    parameters: [
      ...parametersOf(endpoint.params, 'path', components),
      ...parametersOf(endpoint.query, 'query', components),
      ...formParameters(endpoint),
      ...(endpoint.method === 'GET' ? formatParameters(endpoint) : []),
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
        description: endpoint.status === 204 ? 'Done. The response has no body.' : 'Successful answer.',
        headers: answerHeaders(endpoint),
        ...(endpoint.status !== 204 && { content: contentOf(endpoint, replySchema, answerExamples(name, examples)) }),
      },
      ...fileResponses(endpoint),
      ...otherResponses(endpoint, replySchema, errorSchema, errors),
    },
  }
}

/** The scopes that a key needs, with the parameters that need another one. */
function scopeText(endpoint: Endpoint): string | undefined {
  const { scope, scopeWith = {} } = keyAccessOf(endpoint) ?? {}
  if (scope === undefined) return undefined
  const others = Object.entries(scopeWith).map(
    ([parameter, other]) => `; with \`${parameter}\`, the scope \`${other}\` instead`,
  )
  return `Needs the scope \`${scope}\`${others.join('')}.`
}

/** Each entry is one way to authenticate. */
function securityOf(access: Endpoint['access']): Json[] {
  if (access === 'public') return []
  return access.by === 'key' ? [{ key: [] }, { bearer: [] }] : [{ session: [] }]
}

function replySchemaOf({ reply, declared }: Endpoint, components: Json): Json {
  const schema = schemaOf(reply, 'output', components)
  return declared === undefined ? schema : eitherForm(schema, schemaOf(declared.reply, 'output', components))
}

function contentOf(endpoint: Endpoint, schema: Json, examples: Json): Json {
  const content: Json = { 'application/json': { schema, ...examples } }
  const formats = formatsOf(endpoint)
  if (formats.includes('csv')) content['text/csv'] = { schema: { type: 'string' } }
  if (formats.includes('tsv')) content['text/tab-separated-values'] = { schema: { type: 'string' } }
  if (formats.includes('parquet')) content[PARQUET] = {}
  return content
}

function fileResponses(endpoint: Endpoint): Json {
  if (endpoint.keepsAnswers) return { 304: { description: 'The answer is that of the `ETag` in `If-None-Match`.' } }
  if (endpoint.file === undefined) return {}
  return {
    206: { description: 'The part of the file that `Range` requests.', content: { [PARQUET]: {} } },
    304: { description: 'The file has not changed since the version in `If-None-Match`.' },
  }
}

export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const { errors, method } = endpoint
  const kinds = [
    ...ERRORS_OF_ALL,
    ...(keyAccessOf(endpoint) === undefined ? [] : ERRORS_OF_KEYS),
    ...(isOfSession(endpoint) ? ERRORS_OF_SESSIONS : []),
    ...(changesSomething(endpoint) ? (['cross_site_refused'] as const) : []),
    // A body may be sent even where none is expected.
    ...(method === 'GET' ? ERRORS_OF_FORMATS : ERRORS_OF_BODIES),
    ...(mayCharge(endpoint) ? ERRORS_OF_PRICED : []),
    ...errors,
  ]
  return [...new Set(kinds)]
}

/** All responses but the successful one. A status that is used for answers and for errors has both schemas. */
function otherResponses(endpoint: Endpoint, replySchema: Json, errorSchema: Json, errors: ErrorExamples): Json {
  const responses = errorResponses(endpoint, errorSchema, errors)
  for (const [status, meaning] of Object.entries(endpoint.otherStatuses ?? {})) {
    const error = responses[status]
    responses[status] = {
      headers: error?.headers ?? answerHeaders(endpoint),
      description: error === undefined ? meaning : `${meaning}\n\nOr an error: ${error.description}`,
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

function errorResponses(endpoint: Endpoint, errorSchema: Json, errors: ErrorExamples): Record<string, Response> {
  const withStatus = errorsOf(endpoint).flatMap((code) => {
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
        headers: errorHeaders(endpoint, status),
        content: {
          'application/json': {
            schema: errorSchema,
            ...errorExamples(
              each.map(({ code }) => code),
              status,
              errors,
            ),
          },
        },
      },
    ]),
  )
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', components: Json): Json[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => {
    const { description, ...rest } = schemaOf(member, 'input', components)
    const without = member.safeParse(undefined)
    const isRequired = place === 'path' || !without.success
    const isScalar = ['string', 'number', 'boolean'].includes(typeof without.data)
    // JSON Schema of zod leaves out defaults that are set after a transform.
    const schema = isScalar ? { ...rest, default: without.data } : rest
    return { name, in: place, required: isRequired, ...(description !== undefined && { description }), schema }
  })
}

function formatParameters(endpoint: Endpoint): Json[] {
  return [
    {
      name: 'format',
      in: 'query',
      required: false,
      description:
        'formats other than json need the scale or enterprise tier; in csv and tsv null is `\\N` (pandas: `na_values=["\\\\N"]`), and members that are not rows are `X-` headers',
      schema: { type: 'string', enum: formatsOf(endpoint), default: 'json' },
    },
    {
      name: 'spreadsheet_safe',
      in: 'query',
      required: false,
      description:
        "only with csv and tsv. true writes a quote (`'`) before text that a spreadsheet would run as a formula; without it, files contain the data unchanged",
      schema: { type: 'boolean', default: false },
    },
  ]
}

/** JSON Schema of a zod schema; named parts are added to the components. */
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
