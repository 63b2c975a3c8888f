import type { OutgoingHttpHeaders } from 'node:http'
import type { Random } from '@bookreel/simulator/world/random'
import type { Operation } from '../published-schema.ts'
import { CORPORA, HEADERS } from './corpora.ts'
import { editedCursor } from './edited-cursor.ts'
import { validBody } from './valid-bodies.ts'
import { type Facts, type Owned, validValues } from './valid-values.ts'

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
}

/** A signed-in browser on a page of the service. */
export interface Browser extends Owned {
  readonly headers: OutgoingHttpHeaders
}

/** A second page. */
export interface Page {
  /** With the query of the first one. */
  readonly path: string
  readonly cursor: string
  /** Of the browser whose list it is; a key is sent for others. */
  readonly headers?: OutgoingHttpHeaders
}

export interface Material {
  readonly operations: readonly Operation[]
  readonly facts: Facts
  /** Keys of all tiers; a key that occurs more often is used more often. The first belongs to the highest tier. */
  readonly keys: readonly string[]
  readonly browsers: readonly Browser[]
  readonly pages: readonly Page[]
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

/** Markets that live longest, so that none of them ends before the first requests. */
const LASTING = 5
const OPTIONAL_SHARE = 0.3
const HOUR_MS = 3_600_000
const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY']
const BODIES = ['', '{}', '[]', '{"__proto__":{"a":1}}', '{"a":', 'null', '\u0000', `{"a":"${'x'.repeat(20_000)}"}`]

/** The plainest request of an operation that is served: without optional parameters, for whom everything is included. */
export function servedRequest(material: Material, operation: Operation, draw: Random): FuzzRequest {
  const { facts, keys, browsers } = material
  const steady = {
    ...material,
    facts: { ...facts, markets: facts.markets.slice(0, LASTING), perps: facts.perps.slice(0, 1) },
    keys: keys.slice(0, 1),
    browsers: browsers.slice(0, 1),
  }
  return finished(draftOf(steady, draw, operation))
}

/** A valid request of the published interface. */
export function validRequest(material: Material, draw: Random): FuzzRequest {
  if (material.pages.length > 0 && draw.chance(0.05)) return pageRequest(material, draw, (cursor) => cursor)
  return finished(draftOf(material, draw))
}

/** A valid request with one or two changes. */
export function nearValidRequest(material: Material, draw: Random): FuzzRequest {
  if (material.pages.length > 0 && draw.chance(0.08)) {
    return pageRequest(material, draw, (cursor) => editedCursor(cursor, draw))
  }
  const draft = draftOf(material, draw)
  for (let count = draw.chance(0.3) ? 2 : 1; count > 0; count--) draw.pick(MUTATIONS)(draft, draw)
  return finished(draft)
}

function pageRequest({ pages, keys }: Material, draw: Random, edit: (cursor: string) => string): FuzzRequest {
  const { path, cursor, headers } = draw.pick(pages)
  return {
    method: 'GET',
    path: `${path}&cursor=${encodeURIComponent(edit(cursor))}`,
    headers: headers ?? { 'x-api-key': draw.pick(keys) },
  }
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
  (draft, draw) => moveTime(draft, draw),
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

/** A given operation is requested as plainly as possible. */
function draftOf({ operations, facts, keys, browsers }: Material, draw: Random, given?: Operation): Draft {
  const operation = given ?? draw.pick(operations)
  const browser = operation.isOfSession ? draw.pick(browsers) : undefined
  const optionalShare = given === undefined ? OPTIONAL_SHARE : 0
  const values = validValues(operation, { facts, owned: browser, optionalShare }, draw)
  const isPath = (name: string): boolean => operation.path.includes(`{${name}}`)
  const headers: OutgoingHttpHeaders = { ...browser?.headers }
  const isWithKey = browser === undefined ? !operation.isPublic || draw.chance(0.5) : draw.chance(0.1)
  // A browser that also sends a key is refused.
  if (isWithKey && (given === undefined || browser === undefined)) headers['x-api-key'] = draw.pick(keys)
  const body = validBody(operation.id, facts, draw, given === undefined ? 'any' : 'first')
  if (body !== undefined) headers['content-type'] = 'application/json'
  return {
    operation,
    method: operation.method,
    query: [...values].filter(([name]) => !isPath(name)),
    path: new Map([...values].filter(([name]) => isPath(name))),
    headers,
    tail: '',
    ...(body !== undefined && { body }),
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

/** Over the ends of what is recorded, and between slots. */
function moveTime(draft: Draft, draw: Random): void {
  const times = draft.operation.parameters.filter(({ schema }) => schema.format === 'date-time')
  if (times.length === 0) return
  const { name } = draw.pick(times)
  const atMs = Date.now() + draw.pick([-24, -1, 0, 1]) * HOUR_MS + draw.whole(-60_000, 60_000)
  putValue(draft, name, draw.pick([new Date(atMs).toISOString(), String(atMs)]))
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
