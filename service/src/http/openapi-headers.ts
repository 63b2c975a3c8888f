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
  'X-Credits-Cost': { description: 'Credits charged for this answer.', schema: whole },
  'X-Credits-Remaining': { description: 'Remaining credits of the account; only after a charge.', schema: whole },
  'X-Idempotent-Replay': {
    description: '`true` when an earlier request was already charged, so this one is free.',
    schema: text,
  },
  'X-Empty-Reason': { description: 'Why the answer is empty.', schema: text },
  'WWW-Authenticate': {
    description: 'Challenge for a Bearer token, as RFC 6750; `error="invalid_token"` when a key was sent.',
    schema: text,
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: whole },
}

const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
const KEY_HEADERS = [...RATE_HEADERS, 'X-Credits-Cost', 'X-Empty-Reason']
const CHARGE_HEADERS = ['X-Credits-Remaining', 'X-Idempotent-Replay']

export function answerHeaders(endpoint: Endpoint): Json {
  return references([
    'X-Request-Id',
    ...(keyAccessOf(endpoint) === undefined ? [] : KEY_HEADERS),
    ...(mayCharge(endpoint) ? CHARGE_HEADERS : []),
  ])
}

export function errorHeaders(endpoint: Endpoint, status: number): Json {
  return references([
    'X-Request-Id',
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(status === 429 ? RATE_HEADERS : []),
    ...(status === 401 && !isOfSession(endpoint) ? ['WWW-Authenticate'] : []),
  ])
}

/** Request headers that the endpoint reads. */
export function headerParameters(endpoint: Endpoint): Json[] {
  if (changesSomething(endpoint)) {
    const name = 'X-Requested-With'
    const description = 'Protects against cross-site requests: other sites can not send this header.'
    return [{ name, in: 'header', required: true, description, schema: { const: 'bookreel' } }]
  }
  if (!mayCharge(endpoint)) return []
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes retries free: a request that is repeated with the same key, up to 5 times within 24 hours, is charged once.',
      schema: { ...text, maxLength: 255 },
    },
  ]
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
  return access !== undefined && (access.credits !== undefined || endpoint.file !== undefined)
}

function references(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
