import assert from 'node:assert/strict'
import type { Answered } from '@bookreel/testbed/service/test-service'
import { TIER_LIMITS, type Tier } from '../../src/domain/tier.ts'
import type { Check } from './clause.ts'

/** The type of a member, in the words of the interface. */
const KINDS = {
  text: (value: unknown) => typeof value === 'string',
  'whole text': (value: unknown) => typeof value === 'string' && /^\d+$/.test(value),
  time: (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  'epoch ms': (value: unknown) => Number.isSafeInteger(value) && Number(value) > 1_600_000_000_000,
  whole: (value: unknown) => Number.isSafeInteger(value),
  number: (value: unknown) => typeof value === 'number',
  'number or null': (value: unknown) => value === null || typeof value === 'number',
  'whole or null': (value: unknown) => value === null || Number.isSafeInteger(value),
  'text or null': (value: unknown) => value === null || typeof value === 'string',
  flag: (value: unknown) => typeof value === 'boolean',
  side: (value: unknown) => value === 'UP' || value === 'DOWN',
  'two texts': (value: unknown) => isList(value, 'text') && value.length === 2,
  pairs: (value: unknown) => Array.isArray(value) && value.every((pair) => isList(pair, 'number') && pair.length === 2),
  levels: (value: unknown) =>
    Array.isArray(value) && value.every(({ price, size }) => typeof price === 'number' && typeof size === 'number'),
  list: (value: unknown) => Array.isArray(value),
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
} as const satisfies Record<string, (value: unknown) => boolean>

export type Kind = keyof typeof KINDS
export type Members = Readonly<Record<string, Kind>>

function isList(value: unknown, kind: 'text' | 'number'): value is unknown[] {
  return Array.isArray(value) && value.every((each) => KINDS[kind](each))
}

/** Every member is present with its type. */
export function assertMembers(value: Record<string, unknown> | undefined, members: Members): void {
  assert.ok(value, 'there is nothing to look at')
  const wrong = Object.entries(members).filter(([name, kind]) => !KINDS[kind](value[name]))
  assert.deepEqual(
    wrong.map(([name, kind]) => `${name} is not ${kind}: ${JSON.stringify(value[name])?.slice(0, 80)}`),
    [],
  )
}

/** Checks the part of the response that `pick` returns; of a list every item, and there must be one. */
export function hasMembers(members: Members, pick: (body: Answered['body']) => unknown = (body) => body): Check {
  return ({ body }) => {
    const picked = pick(body)
    const items = (Array.isArray(picked) ? picked : [picked]) as Record<string, unknown>[]
    assert.ok(items.length > 0, 'the list is empty')
    for (const item of items) assertMembers(item, members)
  }
}

export function isLike(expected: Record<string, unknown>): Check {
  return ({ body }) => assert.partialDeepStrictEqual(body, expected)
}

/** An error names the invalid parameter, so that a program can correct it. */
export function namesProblem(parameter: string): Check {
  return ({ body }) => {
    const { problems = [] } = body.details ?? {}
    const names = problems.map((problem: { parameter: string }) => problem.parameter)
    assert.ok(names.includes(parameter), `names ${names.join(', ') || 'nothing'}`)
  }
}

export function hasHeaders(expected: Readonly<Record<string, string | RegExp>>): Check {
  return ({ headers }) => {
    for (const [name, wanted] of Object.entries(expected)) {
      const value = String(headers[name] ?? '')
      if (typeof wanted === 'string') assert.equal(value, wanted, name)
      else assert.match(value, wanted, name)
    }
  }
}

export function isEmptyBecause(reason: string): Check {
  return ({ body, headers }) => {
    assert.equal(headers['x-empty-reason'], reason)
    const items = Array.isArray(body) ? body : (body.snapshots ?? body.markets)
    assert.deepEqual(items, [])
  }
}

export function all(...checks: readonly Check[]): Check {
  return async (answer, scene) => {
    for (const check of checks) await check(answer, scene)
  }
}

/** Cells of a flat file; none of the values compared holds its delimiter outside of quotes. */
export function cellsOf(text: string, delimiter: ',' | '\t'): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') cell += text[++at]
      else isQuoted = false
    } else if (letter === '"' && cell === '') isQuoted = true
    else if (letter === delimiter || letter === '\n') {
      rows.at(-1)?.push(cell)
      cell = ''
      if (letter === '\n') rows.push([])
    } else cell += letter
  }
  return rows.filter(({ length }) => length > 0)
}

/** A flat file as objects, text by column. */
export function recordsOf(text: string, delimiter: ',' | '\t'): Record<string, string>[] {
  const [header = [], ...rows] = cellsOf(text, delimiter)
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])))
}

/** The message of an error has this text. */
export function explains(text: RegExp): Check {
  return ({ body }) => assert.match(body.message, text)
}

/** A tier error names the tier of the caller and the tiers that are enough. */
export function needsTiers(...tiers: readonly string[]): Check {
  return ({ body }) => {
    assert.deepEqual(body.details.allowed_tiers, tiers)
    assert.ok(!tiers.includes(body.details.tier))
    for (const tier of tiers) assert.match(body.message, new RegExp(tier))
  }
}

/** The headers of an answer of any status to a valid key. */
export function assertKeyHeaders({ headers }: Pick<Answered, 'headers'>, tier: Tier): void {
  const { rpm } = TIER_LIMITS[tier]
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    assert.equal(headers[`${prefix}-limit`], String(rpm))
    assert.match(String(headers[`${prefix}-remaining`]), /^\d+$/)
    assert.ok(Number(headers[`${prefix}-remaining`]) < rpm)
    assert.match(String(headers[`${prefix}-reset`]), /^\d+$/)
  }
  assert.match(String(headers['x-credits-cost']), /^\d+$/)
  assert.match(String(headers['cache-control']), /^(no-store|private, max-age=\d+|public, max-age=(\d+), s-maxage=\2)$/)
}

/** An error is free, is never cached and names its request. */
export function isFreeError({ headers, body }: Answered): void {
  assert.deepEqual([headers['x-credits-cost'], headers['cache-control']], ['0', 'no-store'])
  assert.equal(headers['x-request-id'], body.request_id)
}
