import type { OutgoingHttpHeaders } from 'node:http'
import type { Random } from '@bookreel/simulator/world/random'
import type { Operation } from '../published-schema.ts'
import { CORPORA, HEADERS } from './corpora.ts'
import { type Facts, validValues } from './valid-values.ts'

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
}

export interface Material {
  readonly operations: readonly Operation[]
  readonly facts: Facts
  /** Keys of all tiers; a key that occurs more often is used more often. */
  readonly keys: readonly string[]
  /** Headers of signed-in browsers on a page of the service. */
  readonly browsers: readonly OutgoingHttpHeaders[]
}

interface Draft {
  readonly operation: Operation
  method: string
  /** Query parameters in order; near-valid requests repeat some. */
  query: [string, string][]
  path: Map<string, string>
  headers: OutgoingHttpHeaders
  /** Appended to the path without encoding. */
  tail: string
  body?: string
}

const VALID_BODIES: Readonly<Record<string, readonly object[]>> = {
  create_api_key: [{ label: 'lab' }, { label: 'lab', scopes: ['live'], creditLimit: 100 }],
  create_invoice: [{ pack: 'pro_monthly' }, { pack: 'credits_10k' }],
}
const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY']
const BODIES = ['', '{}', '[]', '{"__proto__":{"a":1}}', '{"a":', 'null', '\u0000', `{"a":"${'x'.repeat(20_000)}"}`]

/** A valid request of the published interface. */
export function validRequest(material: Material, draw: Random): FuzzRequest {
  const { facts, keys } = material
  if (facts.pages.length > 0 && draw.chance(0.05)) {
    return { method: 'GET', path: draw.pick(facts.pages), headers: { 'x-api-key': draw.pick(keys) } }
  }
  return finished(draftOf(material, draw))
}

/** A valid request with one or two changes. */
export function nearValidRequest(material: Material, draw: Random): FuzzRequest {
  const draft = draftOf(material, draw)
  for (let count = draw.chance(0.3) ? 2 : 1; count > 0; count--) draw.pick(MUTATIONS)(draft, draw)
  return finished(draft)
}

/** A valid request with one text from a corpus. */
export function hostileRequest(material: Material, draw: Random): FuzzRequest {
  const draft = draftOf(material, draw)
  const text = draw.pick(draw.pick(Object.values(CORPORA)))
  const names = draft.operation.parameters.map(({ name }) => name)
  draw.pick([
    () => putValue(draft, names.length === 0 ? 'format' : draw.pick(names), text),
    () => putValue(draft, names.length === 0 ? 'format' : draw.pick(names), text),
    () => draft.query.push([text, '1']),
    () => {
      draft.headers[draw.pick(HEADERS)] = asHeader(text)
    },
    () => {
      draft.tail = encodeURIComponent(text)
    },
    () => {
      draft.method = draw.pick(['POST', 'GET', 'DELETE'])
      draft.headers['content-type'] = draw.pick(['application/json', 'text/plain', 'multipart/form-data; boundary='])
      draft.body = draw.chance(0.5) ? JSON.stringify({ [text]: text }) : text
    },
  ])()
  return finished(draft)
}

const MUTATIONS: readonly ((draft: Draft, draw: Random) => void)[] = [
  (draft, draw) => putValue(draft, anyName(draft, draw), draw.pick(CORPORA.numbers ?? [])),
  (draft, draw) => putValue(draft, anyName(draft, draw), draw.pick(CORPORA.dates ?? [])),
  (draft, draw) => outOfRange(draft, draw),
  (draft, draw) => changeCase(draft, draw),
  (draft, draw) => {
    draft.query = draft.query.filter(() => draw.chance(0.5))
  },
  (draft, draw) => {
    const given = draft.query.length === 0 ? (['format', 'json'] as [string, string]) : draw.pick(draft.query)
    draft.query.push([...given])
  },
  (draft, draw) => {
    draft.query.push([draw.pick(['page', 'Limit', 'limit[]', 'limit.', 'x', '', 'format ']), draw.pick(['1', '', 'a'])])
  },
  (draft, draw) => {
    draft.query.push(['cursor', draw.pick(['', 'a', 'eyJhIjoxfQ', '0', 'x'.repeat(90), 'x'.repeat(500), '-_-_'])])
  },
  (draft, draw) => {
    draft.method = draw.pick(OTHER_METHODS)
    if (draw.chance(0.5)) draft.body = draw.pick(BODIES)
  },
  (draft, draw) => {
    draft.tail = draw.pick([
      '/',
      '//',
      '/x',
      '.json',
      '%20',
      '%2f',
      '%',
      '?',
      '??',
      '?=',
      '?&&',
      '?a',
      '?format',
      ';a=b',
    ])
  },
  (draft, draw) => spoilKey(draft, draw),
  (draft, draw) => {
    draft.headers[draw.pick(['range', 'accept', 'accept-encoding', 'idempotency-key', 'expect'])] = draw.pick([
      'bytes=0-10',
      'text/csv',
      'br',
      'gzip, deflate',
      'zstd',
      'same-name-again',
      'x'.repeat(300),
      '100-continue',
    ])
  },
  (draft, draw) => {
    for (const [name, value] of draft.path)
      draft.path.set(name, draw.pick([value.toUpperCase(), `${value}0`, value.slice(1)]))
  },
]

function draftOf({ operations, facts, keys, browsers }: Material, draw: Random): Draft {
  const operation = draw.pick(operations)
  const values = validValues(operation, facts, draw)
  const isPath = (name: string): boolean => operation.path.includes(`{${name}}`)
  const headers: OutgoingHttpHeaders = operation.isOfSession ? { ...draw.pick(browsers) } : {}
  if (operation.isOfSession ? draw.chance(0.1) : !operation.isPublic || draw.chance(0.5)) {
    headers['x-api-key'] = draw.pick(keys)
  }
  const body = VALID_BODIES[operation.id]
  if (body !== undefined) headers['content-type'] = 'application/json'
  return {
    operation,
    method: operation.method,
    query: [...values].filter(([name]) => !isPath(name)),
    path: new Map([...values].filter(([name]) => isPath(name))),
    headers,
    tail: '',
    ...(body !== undefined && { body: JSON.stringify(draw.pick(body)) }),
  }
}

function finished({ operation, method, query, path, headers, tail, body }: Draft): FuzzRequest {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path.get(name) ?? ''))
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  return {
    method,
    path: `${filled}${tail}${search === '' ? '' : `${tail.includes('?') ? '&' : '?'}${search}`}`,
    headers,
    ...(body !== undefined && { body }),
  }
}

function putValue(draft: Draft, name: string, value: string): void {
  if (draft.path.has(name)) draft.path.set(name, value)
  else draft.query = [...draft.query.filter(([each]) => each !== name), [name, value]]
}

function anyName({ operation }: Draft, draw: Random): string {
  return operation.parameters.length === 0 ? 'format' : draw.pick(operation.parameters).name
}

function outOfRange(draft: Draft, draw: Random): void {
  const numbers = draft.operation.parameters.filter(({ schema }) => schema.minimum !== undefined)
  if (numbers.length === 0) return
  const { name, schema } = draw.pick(numbers)
  const [least, most] = [Number(schema.minimum), Number(schema.maximum ?? 1e15)]
  putValue(draft, name, String(draw.pick([least, least - 1, most, most + 1, least + 0.5, most * 10])))
}

function changeCase(draft: Draft, draw: Random): void {
  draft.query = draft.query.map(([name, value]) =>
    draw.chance(0.5) ? [name, draw.chance(0.5) ? value.toUpperCase() : value.toLowerCase()] : [name, value],
  )
}

function spoilKey(draft: Draft, draw: Random): void {
  const key = String(draft.headers['x-api-key'] ?? 'br_live_')
  if (draw.chance(0.2)) delete draft.headers['x-api-key']
  else {
    const spoilt = ['', ' ', `${key}x`, key.slice(0, -1), key.toUpperCase(), `br_live_${'A'.repeat(38)}`]
    draft.headers['x-api-key'] = draw.pick(spoilt)
  }
}

/** Encodes what the HTTP client refuses to send; raw-request.ts sends it as bytes. */
function asHeader(text: string): string {
  return /[^ -~]/.test(text) ? encodeURI(text.toWellFormed()) : text
}
