import { type Endpoint, keyAccessOf } from '../endpoints/endpoint.ts'

type Json = Record<string, unknown>

const whole = { type: 'integer', minimum: 0 } as const
const text = { type: 'string' } as const

/** Every header that an answer may have beside the usual ones of HTTP. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': { description: 'Names this request; tell us when you ask about it.', schema: text },
  'RateLimit-Limit': { description: 'Requests a minute of the account; also as `X-RateLimit-Limit`.', schema: whole },
  'RateLimit-Remaining': { description: 'How many fit now; also as `X-RateLimit-Remaining`.', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until all fit; also as `X-RateLimit-Reset`.', schema: whole },
  'X-Credits-Cost': { description: 'What this answer cost.', schema: whole },
  'X-Credits-Remaining': { description: 'What is left; only where something was charged.', schema: whole },
  'X-Idempotent-Replay': { description: '`true` when it was paid before and cost nothing now.', schema: text },
  'X-Empty-Reason': { description: 'Why there is nothing in an answer that has nothing in it.', schema: text },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: whole },
}

const OF_KEYS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'X-Credits-Cost', 'X-Empty-Reason']
const OF_PRICED = ['X-Credits-Remaining', 'X-Idempotent-Replay']

export function answerHeaders(endpoint: Endpoint): Json {
  return references([
    'X-Request-Id',
    ...(keyAccessOf(endpoint) === undefined ? [] : OF_KEYS),
    ...(mayCharge(endpoint) ? OF_PRICED : []),
  ])
}

export function errorHeaders(status: number): Json {
  return references(['X-Request-Id', ...(status === 429 || status === 503 ? ['Retry-After'] : [])])
}

/** What can be sent along beside the parameters. */
export function headerParameters(endpoint: Endpoint): Json[] {
  if (changesSomething(endpoint)) {
    const name = 'X-Requested-With'
    const description = 'Says that a page of ours asks; a foreign page could not.'
    return [{ name, in: 'header', required: true, description, schema: { const: 'bookreel' } }]
  }
  if (!mayCharge(endpoint)) return []
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'Repeat a request with the same one, up to 5 times within 24 hours, and it is charged once.',
      schema: { ...text, maxLength: 255 },
    },
  ]
}

export function isOfSession({ access }: Endpoint): boolean {
  return access !== 'public' && access.by === 'session'
}

/** What a foreign page must not be able to set off. */
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
