import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../domain/idempotency-key.ts'
import { type Endpoint, keyAccessOf } from '../endpoints/endpoint.ts'

type Json = Record<string, unknown>

const whole = { type: 'integer', minimum: 0 } as const
const text = { type: 'string' } as const

/** Response headers of this service, beside the standard ones of HTTP. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': { description: 'Identifies this request; include it when you contact support.', schema: text },
  'RateLimit-Limit': { description: 'Requests per minute of the account; also `X-RateLimit-Limit`.', schema: whole },
  'RateLimit-Remaining': { description: 'Requests allowed now; also `X-RateLimit-Remaining`.', schema: whole },
  'RateLimit-Reset': {
    description:
      'Seconds until the full limit is available; in a 429 the seconds until the next request is allowed, as in `Retry-After`; also `X-RateLimit-Reset`.',
    schema: whole,
  },
  'X-Credits-Cost': { description: 'Credits charged for this answer; 0 for every error.', schema: whole },
  'X-Credits-Remaining': {
    description: 'Remaining credits of the account; only after a charge, and when they do not suffice.',
    schema: whole,
  },
  'X-Exact-Books': { description: 'Exact books of this answer; HEAD tells it free of charge.', schema: whole },
  'X-Free-Books-Left': {
    description: 'Exact books that the account gets today (UTC) free of charge; left out while they are not counted.',
    schema: whole,
  },
  'X-Idempotent-Replay': {
    description: '`true` when an earlier request was already charged, so this one is free.',
    schema: text,
  },
  'X-Empty-Reason': { description: 'Why the answer is empty.', schema: text },
  'WWW-Authenticate': {
    description: 'Challenge for a Bearer token, as RFC 6750; `error="invalid_token"` when a key was sent.',
    schema: text,
  },
  Deprecation: { description: 'When this endpoint became deprecated, as RFC 9745.', schema: text },
  Sunset: { description: 'When this endpoint may end, as RFC 8594.', schema: text },
  Link: {
    description:
      'The endpoint that replaces this one (`rel="successor-version"`); in csv and tsv the same request as JSON (`rel="alternate"`), when a list is too long for a header.',
    schema: text,
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: whole },
}

const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
/** In every answer to a valid key, also in errors. */
const KEY_HEADERS = [...RATE_HEADERS, 'X-Credits-Cost']
const CHARGE_HEADERS = ['X-Credits-Remaining', 'X-Idempotent-Replay']
const BOOK_HEADERS = ['X-Exact-Books', 'X-Free-Books-Left']

export function answerHeaders(endpoint: Endpoint): Json {
  return references([
    'X-Request-Id',
    ...deprecationHeaders(endpoint),
    ...(keyAccessOf(endpoint) === undefined ? [] : [...KEY_HEADERS, 'X-Empty-Reason']),
    ...(mayCharge(endpoint) ? CHARGE_HEADERS : []),
    ...(endpoint.priceRule === undefined ? [] : BOOK_HEADERS),
  ])
}

export function errorHeaders(endpoint: Endpoint, status: number): Json {
  return references([
    'X-Request-Id',
    ...deprecationHeaders(endpoint),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(keyAccessOf(endpoint) === undefined || status === 401 ? [] : KEY_HEADERS),
    ...(keyAccessOf(endpoint) === undefined && status === 429 ? RATE_HEADERS : []),
    ...(mayCharge(endpoint) && status === 402 ? ['X-Credits-Remaining'] : []),
    ...(status === 401 && !isOfSession(endpoint) ? ['WWW-Authenticate'] : []),
  ])
}

function deprecationHeaders({ deprecated }: Endpoint): string[] {
  if (deprecated === undefined) return []
  return ['Deprecation', 'Sunset', ...(deprecated.replacement === undefined ? [] : ['Link'])]
}

/** Request headers that the endpoint reads. */
export function headerParameters(endpoint: Endpoint): Json[] {
  return [
    ...(changesSomething(endpoint) ? [REQUESTED_WITH] : []),
    ...(readsIdempotencyKey(endpoint) ? [idempotencyKey(endpoint.idempotency ?? MAKES_RETRIES_FREE)] : []),
  ]
}

const REQUESTED_WITH = {
  name: 'X-Requested-With',
  in: 'header',
  required: true,
  description: 'Protects against cross-site requests: other sites can not send this header.',
  schema: { const: 'bookreel' },
}
const MAKES_RETRIES_FREE =
  'Makes retries free: a request that is repeated with the same key, up to 5 times within 24 hours, is charged once and returns the same answer, without rows that arrived later.'

function idempotencyKey(description: string): Json {
  const schema = { ...text, minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH }
  return { name: 'Idempotency-Key', in: 'header', required: false, description, schema }
}

export function isOfSession({ access }: Endpoint): boolean {
  return access !== 'public' && access.by === 'session'
}

/** Requests that other sites must not be able to trigger. */
export function changesSomething(endpoint: Endpoint): boolean {
  return isOfSession(endpoint) && endpoint.method !== 'GET'
}

export function mayCharge(endpoint: Endpoint): boolean {
  const access = keyAccessOf(endpoint)
  if (access === undefined) return false
  return access.credits !== undefined || endpoint.file !== undefined || endpoint.priceRule !== undefined
}

export function readsIdempotencyKey(endpoint: Endpoint): boolean {
  return mayCharge(endpoint) || endpoint.idempotency !== undefined
}

function references(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
