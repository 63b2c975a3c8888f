import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TestService } from '@bookreel/testbed/service/test-service'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DECLARED_PROGRAM } from './declared-program.ts'
import { DescribedClient } from './described-client.ts'
import { GeneratedClient } from './generated-client.ts'

let service: TestService
let url: string
let key: string
let marketId: string

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  url = await service.server.listen({ host: '127.0.0.1', port: 0 })
  key = await service.keyOf('pro')
  marketId = service.world.hot.id
})

afterAll(() => service?.[Symbol.asyncDispose]())

/** Validators of the declared schema, which allows no other members in markets, token books and snapshots. */
async function declaredSchemas(): Promise<(name: string) => ValidateFunction> {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const text = await readFile(join(import.meta.dirname, 'declared.openapi.json'), 'utf8')
  ajv.addSchema({ ...JSON.parse(text), $id: 'declared' })
  return (name) => ajv.compile({ $ref: `declared#/components/schemas/${name}` })
}

interface ProgramOutput {
  readonly answers: Readonly<Record<string, readonly unknown[]>>
  readonly facts: unknown
}

test('a client generated from the declared schema compiles and reads lists, books and snapshots', async () => {
  await using client = await GeneratedClient.of(DECLARED_PROGRAM)
  expect(await client.compileErrors()).toBe('')
  const { answers, facts } = (await client.output([url, key, marketId])) as ProgramOutput
  expect(facts).toEqual({ tokens: [true, true], depth: true, nearest: true })
  const schemas = await declaredSchemas()
  for (const [name, each] of Object.entries(answers)) {
    const validate = schemas(name)
    expect(each.length).toBeGreaterThan(0)
    for (const answer of each) expect(validate(answer), JSON.stringify(validate.errors)).toBe(true)
  }
  expect(answers.MarketList?.[0]).toMatchObject({ markets: expect.arrayContaining([expect.anything()]) })
  expect(answers.SnapshotList?.[0]).toMatchObject({ snapshots: { length: 6 } })
  expect(answers.Snapshot).toHaveLength(6)
})

test('a program that reads a member which is not declared does not compile', async () => {
  await using client = await GeneratedClient.of(DECLARED_PROGRAM.replaceAll('depth5_bid', 'depth_bid'))
  expect(await client.compileErrors()).toContain(`Property 'depth_bid' does not exist on type 'TokenBook'`)
})

test('an answer in the described form is refused by the declared schema', async () => {
  const schemas = await declaredSchemas()
  const { body } = await service.ask(`/v1/markets/${marketId}/orderbook`, { key })
  expect(schemas('Orderbook')(body)).toBe(false)
  const declared = await service.ask(`/v1/markets/${marketId}/orderbook?form=declared`, { key })
  expect(schemas('Orderbook')({ ...declared.body, up: { ...declared.body.up, flags: [] } })).toBe(false)
})

test('a client written for the described forms works without form', async () => {
  const client = new DescribedClient(url, key)
  const list = await client.live('?category=crypto')
  const entry = list.find(({ conditionId }) => conditionId === marketId)
  expect(entry).toMatchObject({ expired: false, outcomes: ['Yes', 'No'] })
  const market = await client.market(entry?.slug ?? '')
  expect(market).toMatchObject({ market_id: marketId, token_ids: entry?.tokenIds, active: true })
  for (const book of [await client.orderbook(marketId), await client.orderbookBySlug(market.slug)]) {
    expect([book.up.tokenId, book.down.tokenId]).toEqual(entry?.tokenIds)
    expect([book.up.outcomeIndex, book.down.outcomeIndex]).toEqual([0, 1])
    expect(book.up.bestBid).toBe(book.up.bids[0]?.price)
    expect(book.up.bidDepth).toBeCloseTo(
      book.up.bids.reduce((sum, { size }) => sum + size, 0),
      5,
    )
  }
  const others = await client.live('?category=sports')
  expect(others.length).toBeGreaterThan(0)
})
