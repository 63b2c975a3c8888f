import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../src/endpoints/index.ts'
import { ASKED_ENDPOINTS, SESSION_ENDPOINTS } from './asked-endpoints.ts'
import { cursorWalk, formatsOfPerp, formatsOfSnapshots, liveAndStored, rowsAndTruth } from './differential.ts'
import type { Row } from './row.ts'
import { ROWS } from './rows.ts'
import { ConformanceScene } from './scene.ts'

let scene: ConformanceScene

beforeAll(async () => {
  scene = await ConformanceScene.open()
}, 240_000)

afterAll(() => scene?.[Symbol.asyncDispose]())

const named = (rows: readonly Row[]): [name: string, row: Row][] =>
  rows.map((row) => [
    `${row.section} · ${row.method ?? 'GET'} ${row.request} as ${row.as} is ${row.status}: ${row.shows}`,
    row,
  ])

async function hold(_: string, row: Row): Promise<void> {
  const { endpoint, request, as, status, error, check, method = 'GET' } = row
  const answer = await scene.ask(as, request, row)
  expect(answer.status, answer.text.slice(0, 500)).toBe(status)
  if (error !== undefined) expect(answer.body).toMatchObject({ error, status })
  expect(scene.breaches(method, endpoint, answer), 'against the published document').toEqual([])
  expect(answer.headers['x-request-id']).toMatch(/^[\w.:-]{1,64}$/)
  await check?.(answer, scene)
}

/** Rows that count credits or keys must not run in parallel with rows that spend or create them. */
const isAlone = ({ as }: Row): boolean => as === 'own account' || as === 'key maker'

describe.concurrent('the interface', () => {
  test.each(named(ROWS.filter((row) => !isAlone(row))))('%s', hold)
})

describe('credits and keys of the interface', () => {
  test.each(named(ROWS.filter(isAlone)))('%s', hold)
})

describe('the same numbers in every format', () => {
  test('a slot is the same as JSON, csv, tsv and Parquet, including ladders', () => formatsOfSnapshots(scene))
  test('a perp slot is the same in every format too', () => formatsOfPerp(scene))
  test('a live book is stored as it was served, and found again by its time', () => liveAndStored(scene))
  test('every stored book is one that the venue had at its event time', () => rowsAndTruth(scene))
  test('pages by cursor are disjoint and complete while rows arrive', () => cursorWalk(scene))
})

test('every endpoint is called', () => {
  const asked = new Set([...ASKED_ENDPOINTS, ...SESSION_ENDPOINTS].map(({ path }) => path))
  expect(endpoints.filter(({ path }) => !asked.has(path)).map(({ path }) => path)).toEqual([])
})

test('a response that violates the published schema is detected', async () => {
  const answer = await scene.ask('pro', '/v1/categories')
  const missing = { ...answer, body: [{ ...answer.body[0], activeMarkets: '3' }] }
  expect(scene.breaches('GET', '/v1/categories', missing)).toEqual([expect.stringContaining('/0/activeMarkets')])
  const added = { ...answer, body: [{ ...answer.body[0], secret: 1 }] }
  expect(scene.breaches('GET', '/v1/categories', added)).toEqual([expect.stringContaining('secret')])
  expect(scene.breaches('GET', '/v1/categories', { ...answer, status: 418 })).toHaveLength(1)
})
