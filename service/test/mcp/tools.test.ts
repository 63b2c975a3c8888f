import { HOUR_MS, PAST_HOUR_MS } from '@bookreel/testbed/service/past-market'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { TIERS, type Tier } from '../../src/domain/tier.ts'
import { ADVICE } from '../../src/mcp/error-advice.ts'
import { MOST_TOKENS, tokensOf } from '../../src/mcp/tool.ts'
import { tools } from '../../src/mcp/tools.ts'
import { type Agent, type McpScene, startMcpScene } from './mcp-scene.ts'
import { MEASURED_TOKENS } from './measured-tokens.ts'

let scene: McpScene
let lastingIds: string[]
const agents = new Map<Tier, Agent>()

beforeAll(async () => {
  scene = await startMcpScene()
  for (const tier of TIERS) agents.set(tier, await scene.agent(await scene.service.keyOf(tier)))
  const live = scene.service.stores.catalogue.list({ statuses: ['live'] }, WORLD_NOW_MS)
  lastingIds = live.slice(-20).map(({ id }) => id)
}, 360_000)

afterAll(async () => {
  for (const agent of agents.values()) await agent[Symbol.asyncDispose]()
  await scene?.[Symbol.asyncDispose]()
})

const as = (tier: Tier): Agent => {
  const agent = agents.get(tier)
  if (agent === undefined) throw new Error(`no agent of ${tier}`)
  return agent
}

const READ = [
  'list_categories',
  'search_markets',
  'list_live_markets',
  'get_market',
  'get_orderbook',
  'get_execution_price',
  'get_limits',
]
const ALL = tools.map(({ name }) => name)
const LISTED: Record<Tier, readonly string[]> = {
  free: READ,
  pro: ALL.filter((name) => name !== 'get_exchange_orderbook'),
  scale: ALL,
  enterprise: ALL,
}

/** Only the required arguments, for the largest markets. */
function leastArguments(): Record<string, Record<string, unknown>> {
  const [market, deep] = [scene.past.market.id, scene.deep.id]
  return {
    list_categories: {},
    search_markets: { q: 'up' },
    list_live_markets: {},
    get_market: { market: deep },
    get_orderbook: { market: deep },
    get_execution_price: { market: deep, side: 'UP', action: 'buy', size: 100.5 },
    get_exchange_orderbook: { coin: 'BTC' },
    get_limits: {},
    list_market_history: {},
    list_snapshots: { market },
    list_bars: { market, interval: '1s', from: new Date(PAST_HOUR_MS).toISOString() },
    list_gaps: { market },
    get_asof: { timestamp: new Date(WORLD_NOW_MS - 1_500).toISOString(), markets: lastingIds.join(',') },
    list_trades: { market },
    list_exchange_snapshots: { coin: 'BTC' },
    estimate: { market },
  }
}

describe('the tools of a key', () => {
  test.each(TIERS)('%s: are those of its tier, named, described, and read-only', async (tier) => {
    const { tools: listed } = await as(tier).client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(LISTED[tier])
    for (const { title, description, annotations, inputSchema } of listed) {
      expect(title).toBeTruthy()
      expect(description).toMatch(/Costs (no|\d+) credits/)
      expect(annotations).toEqual({ readOnlyHint: true })
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })

  test('are described in at most 20,000 characters, and one thing has one name', async () => {
    const listed = await as('enterprise').client.listTools()
    expect(JSON.stringify(listed).length).toBeLessThanOrEqual(20_000)
    const names = new Set(listed.tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})))
    expect([...names].filter((name) => /^(id|slug|market_id|crypto|symbol|exchange)$/.test(name))).toEqual([])
  })

  test('are fewer when the key lacks a scope', async () => {
    await using agent = await scene.agent(await scene.service.keyOf('pro', { scopes: ['mcp', 'live'] }))
    const { tools: listed } = await agent.client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(READ)
    const refused = await agent.call('list_bars', { market: scene.past.market.id })
    expect(refused).toMatchObject({ isError: true, content: { error: 'scope_not_allowed', status: 403 } })
  })

  test('a tool that is not listed is refused by its tier, and one that does not exist by the protocol', async () => {
    const refused = await as('free').call('list_gaps', { market: scene.past.market.id })
    expect(refused).toMatchObject({ isError: true, content: { error: 'tier_not_allowed', status: 403 } })
    await expect(as('pro').call('no_such_tool')).rejects.toThrow('Unknown tool')
  })

  test('a client of the previous protocol version is served', async () => {
    await using agent = await scene.agent(await scene.service.keyOf('pro'), 'legacy')
    expect(agent.client.getNegotiatedProtocolVersion()).toMatch(/^2025-/)
    expect(as('pro').client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect((await agent.client.listTools()).tools).toHaveLength(LISTED.pro.length)
    expect((await agent.call('list_categories')).content.answer).toHaveLength(6)
  })
})

/** The text without the parts marked as venue text. */
function oursIn(content: unknown): string {
  return JSON.stringify(content, (name, value) => (name === 'untrusted_text' ? undefined : value))
}

describe('the result of a tool', () => {
  test.each(TIERS)('%s: has an answer and its cost, and is short', async (tier) => {
    const sizes: Record<string, number> = {}
    for (const [name, args] of Object.entries(leastArguments())) {
      if (!LISTED[tier].includes(name)) continue
      const { isError, content, text } = await as(tier).call(name, args)
      expect(isError, `${name} ${text.slice(0, 400)}`).toBe(false)
      expect(content, name).toMatchObject({ answer: expect.anything(), credits: { charged: expect.any(Number) } })
      sizes[name] = tokensOf(content)
      expect(oursIn(content), `${name} mixes words of the venue with ours`).not.toMatch(/Will it be|made-mcp|mcp-past/)
    }
    expect(Math.max(...Object.values(sizes))).toBeLessThanOrEqual(MOST_TOKENS)
    for (const [name, tokens] of Object.entries(sizes)) {
      expect(tokens, `${name} is longer than docs/mcp.md says`).toBeLessThanOrEqual((MEASURED_TOKENS[name] ?? 0) * 1.1)
    }
  })

  test('marks venue texts in error messages too', async () => {
    const { isError, content } = await as('pro').call('get_orderbook', { market: 'made-mcp-dee' })
    const closed = await as('pro').call('get_orderbook', { market: scene.past.market.slug })
    expect([isError, closed.content.error]).toEqual([false, 'market_closed'])
    expect(content.answer.untrusted_text).toMatchObject({ slug: scene.deep.slug, requested_slug: 'made-mcp-dee' })
    const { found } = (await as('pro').call('list_gaps', { market: scene.past.market.slug })).content
    expect(found).toMatchObject({ matched_by: 'exact', untrusted_text: { slug: scene.past.market.slug } })
    expect(closed.content.details.untrusted_text).toEqual({ slug: scene.past.market.slug })
    expect(oursIn([content, closed.content])).not.toMatch(/mcp-dee|mcp-past/)
  })

  test('has ten levels of a ladder by default, and says how many are left out', async () => {
    const { content } = await as('pro').call('get_orderbook', { market: scene.deep.id })
    expect([content.answer.up.bids.length, content.answer.down.asks.length]).toEqual([10, 10])
    expect(content.levels).toEqual({ depth: 10, left_out: 200 })
    const deeper = await as('pro').call('get_orderbook', { market: scene.deep.id, depth: 50 })
    expect(deeper.content.levels).toEqual({ depth: 50, left_out: 40 })
    expect(tokensOf(deeper.content)).toBeLessThanOrEqual(MOST_TOKENS)
    const none = await as('pro').call('get_orderbook', { market: scene.deep.id, depth: '0' })
    expect(none.content.answer.up.bids).toBeUndefined()
  })

  test('mentions gaps where there are any: how many, the first, and the tool that lists all', async () => {
    const hour = { market: scene.past.market.id, from: PAST_HOUR_MS, to: PAST_HOUR_MS + HOUR_MS }
    const { content } = await as('pro').call('estimate', hour)
    expect(content.answer.gaps).toMatchObject({ count: 80, hint: expect.stringContaining('list_gaps') })
    expect(content.answer.gaps.first).toHaveLength(3)
    const rows = await as('pro').call('list_snapshots', { ...hour, to: PAST_HOUR_MS + 1_000 })
    expect(rows.content.answer.gaps).toMatchObject({ count: 0, first: [] })
  })
})

/** All rows, page by page until there is no cursor. */
async function walk(name: string, args: Record<string, unknown>, rowsOf: (answer: never) => unknown[]) {
  const rows: unknown[] = []
  let truncated = 0
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { content, isError, text } = await as('enterprise').call(name, { ...args, ...(cursor && { cursor }) })
    expect(isError, text).toBe(false)
    expect(tokensOf(content)).toBeLessThanOrEqual(MOST_TOKENS)
    if (content.truncated !== null) {
      truncated += 1
      expect(content.truncated).toMatchObject({ next_cursor: content.next_cursor, hint: expect.any(String) })
      expect(content.truncated.rows_left_out).toBeGreaterThan(0)
    }
    rows.push(...rowsOf(content.answer as never))
    cursor = content.next_cursor
  }
  return { rows, truncated }
}

describe('rows that do not fit are on the next page', () => {
  const hour = () => ({ market: scene.past.market.id, from: PAST_HOUR_MS, to: PAST_HOUR_MS + HOUR_MS })

  test('snapshots: every slot and side once, whatever was cut', async () => {
    const { rows, truncated } = await walk(
      'list_snapshots',
      { ...hour(), to: PAST_HOUR_MS + 15_000, limit: 100, depth: 50 },
      ({ snapshots }: { snapshots: { sequence_number: number; side: string }[] }) =>
        snapshots.map(({ sequence_number, side }) => `${sequence_number} ${side}`),
    )
    const first = PAST_HOUR_MS / 250
    const truth = Array.from({ length: 60 }, (_, index) => [`${first + index} UP`, `${first + index} DOWN`]).flat()
    expect(rows).toEqual(truth)
    expect(truncated).toBeGreaterThan(0)
  })

  test('gaps, trades, bars and live markets', async () => {
    const { id } = scene.past.market
    const gaps = await walk('list_gaps', { ...hour(), limit: 200 }, ({ gaps }: { gaps: { from: string }[] }) =>
      gaps.map(({ from }) => from),
    )
    expect([gaps.rows.length, new Set(gaps.rows).size]).toEqual([80, 80])
    expect(gaps.truncated).toBeGreaterThan(0)
    const trades = await walk('list_trades', { market: id, limit: 200 }, ({ trades }: { trades: unknown[] }) => trades)
    expect(trades.rows).toHaveLength(90)
    const bars = await walk(
      'list_bars',
      { ...hour(), interval: '1s', limit: 300 },
      ({ bars }: { bars: unknown[] }) => bars,
    )
    expect(new Set(bars.rows.map((bar) => (bar as { start: string }).start)).size).toBe(bars.rows.length)
    const { body } = await scene.service.ask('/v1/markets/live', { key: await scene.service.keyOf('enterprise') })
    const live = await walk('list_live_markets', { limit: 100 }, (markets: { conditionId: string }[]) =>
      markets.map(({ conditionId }) => conditionId),
    )
    expect(new Set(live.rows)).toEqual(new Set(body.map(({ conditionId }: { conditionId: string }) => conditionId)))
  })

  test('the newest bars that fit, with a note that earlier ones need a range', async () => {
    const newest = { market: scene.past.market.id, interval: '1s', limit: 300 }
    const { content } = await as('pro').call('list_bars', newest)
    const shown = content.answer.bars.length
    expect(content).toMatchObject({ next_cursor: null, truncated: { hint: expect.stringContaining('from and to') } })
    const before = { ...newest, to: content.answer.bars[0].start }
    const rest = (await as('pro').call('list_bars', { ...before, limit: content.truncated.rows_left_out })).content
    expect(rest.answer.bars.length + (rest.truncated?.rows_left_out ?? 0) + shown).toBe(300)
  })

  test('books as of a time: every named market', async () => {
    const markets = lastingIds
    const args = { timestamp: new Date(WORLD_NOW_MS - 1_500).toISOString(), markets: markets.join(', '), depth: 50 }
    const { rows, truncated } = await walk(
      'get_asof',
      args,
      ({ markets: found }: { markets: { market_id: string }[] }) => found.map(({ market_id }) => market_id),
    )
    expect(rows).toEqual(markets)
    expect(truncated).toBeGreaterThan(0)
  })
})

async function creditsOf(agent: Agent): Promise<number> {
  return (await agent.call('get_limits')).content.answer.creditsRemaining
}

/** A key with this credit limit, of an account with many credits. */
async function keyWithLimit(creditLimit: number): Promise<string> {
  const { access } = scene.service
  const other = await scene.service.keyOf('pro', { fresh: true })
  const { accountId } = await access.accessControl.authenticate(other, '127.0.0.1')
  return (await issueKey(access, { accountId, label: 'limited', creditLimit })).key
}

describe('the price of a call', () => {
  test('is ten credits for snapshots, nothing for the rest, and equals the estimate', async () => {
    await using agent = await scene.agent(await scene.service.keyOf('pro', { fresh: true }))
    const range = { market: scene.past.market.id, from: PAST_HOUR_MS, to: PAST_HOUR_MS + 10_000 }
    const { answer, credits } = (await agent.call('estimate', range)).content
    expect(credits).toEqual({ charged: 0 })
    expect(answer).toMatchObject({ rows: 80, calls: Math.ceil(80 / answer.rows_a_call), credits: answer.calls * 10 })
    let tokens = 0
    let calls = 0
    const before = await creditsOf(agent)
    for (let cursor: string | null | undefined; cursor !== null; calls++) {
      const page = await agent.call('list_snapshots', {
        ...range,
        limit: answer.rows_a_call,
        ...(cursor && { cursor }),
      })
      expect(page.content).toMatchObject({ truncated: null, credits: { charged: 10 } })
      tokens += tokensOf(page.content)
      cursor = page.content.next_cursor
    }
    expect(calls).toBe(answer.calls)
    expect(before - (await creditsOf(agent))).toBe(answer.credits)
    expect(Math.abs(tokens - answer.tokens) / tokens).toBeLessThan(0.2)
  })

  test('of bars is zero, and they are counted', async () => {
    const range = { market: scene.past.market.id, from: PAST_HOUR_MS, to: PAST_HOUR_MS + 100_000 }
    const { answer } = (await as('pro').call('estimate', { tool: 'list_bars', interval: '1s', ...range })).content
    expect(answer).toMatchObject({ tool: 'list_bars', rows: 100, credits: 0 })
  })

  test('without credits is an error that says so, and a failed call is free', async () => {
    await using agent = await scene.agent(await keyWithLimit(10))
    const unknown = await agent.call('list_snapshots', { market: `0x${'0'.repeat(64)}` })
    expect(unknown).toMatchObject({ isError: true, content: { error: 'market_not_found', status: 404 } })
    const backwards = { market: scene.past.market.id, from: PAST_HOUR_MS + 1_000, to: PAST_HOUR_MS }
    for (const name of ['list_snapshots', 'estimate'])
      expect((await agent.call(name, backwards)).content).toMatchObject({
        error: 'invalid_request',
        message: expect.stringMatching(/^from must be before to, got /),
      })
    const range = { market: scene.past.market.id, limit: 1 }
    expect((await agent.call('list_snapshots', range)).content.credits.charged).toBe(10)
    const poor = await agent.call('list_snapshots', range)
    expect(poor.content).toMatchObject({ error: 'out_of_credits', status: 402, details: { credits_needed: 10 } })
    expect(poor.content.request_id).toBeTruthy()
  })
})

/** The tools that an error message names. */
const namedIn = (message: string): string[] => ALL.filter((name) => new RegExp(`\\b${name}\\b`).test(message))

describe('a market', () => {
  /** Tools with the argument `market`. */
  const marketTools = () => Object.entries(leastArguments()).filter(([, args]) => 'market' in args)

  test('is named by its id, its slug or its series, in every tool', async () => {
    const series = (await as('pro').call('get_market', { market: 'btc-updown-5m' })).content.answer
    for (const [name, args] of marketTools()) {
      const { id, slug } = args.market === scene.deep.id ? scene.deep : scene.past.market
      for (const [market, expected] of [
        [slug, id],
        ['btc-updown-5m', series.market_id],
      ]) {
        const { isError, content, text } = await as('enterprise').call(name, { ...args, from: undefined, market })
        expect(isError, `${name} ${market} ${text.slice(0, 300)}`).toBe(false)
        expect(content.answer.market_id, `${name} ${market}`).toBe(expected)
      }
    }
  })

  test('of a series is its window at the given time', async () => {
    const timestamp = new Date(WORLD_NOW_MS - 1_000).toISOString()
    const { answer } = (await as('pro').call('get_asof', { timestamp, markets: 'btc-updown-1h,nosuch' })).content
    expect(answer.markets).toMatchObject([
      { untrusted_text: { requested: 'btc-updown-1h', slug: expect.stringMatching(/bitcoin|btc/) } },
      { market_id: null, status: 'unknown' },
    ])
  })

  test.each(['free', 'pro'] as const)('%s: that is unknown leads to the tool that finds one', async (tier) => {
    const finders = ['list_live_markets', 'list_market_history'].filter((name) => LISTED[tier].includes(name))
    for (const [name, args] of marketTools().filter(([tool]) => LISTED[tier].includes(tool))) {
      const { isError, content } = await as(tier).call(name, { ...args, market: 'nosuch' })
      expect([isError, content.status], name).toEqual([true, 404])
      expect(content.message).toContain('No market has the id or slug nosuch.')
      expect(namedIn(content.message), name).toEqual(finders)
    }
    const { message } = (await as(tier).call('get_market', { id: 'nosuch' })).content
    expect(message).toMatch(/^Unknown argument id\. Allowed: market, venue\./)
    expect(namedIn(message)).toEqual(finders)
    const similar = (await as(tier).call('get_market', { market: 'btc-updown-5x' })).content
    expect(similar.message).toContain('details.candidates')
    expect(similar.details.candidates.length).toBeGreaterThan(0)
  })

  test('that is unknown among several has a hint', async () => {
    const { hint } = (await as('pro').call('get_asof', { timestamp: WORLD_NOW_MS - 1_000, markets: 'nosuch' })).content
    expect(namedIn(hint)).not.toEqual([])
  })
})

test('errors name tools that the key has', async () => {
  const closed = await as('pro').call('get_orderbook', { market: scene.past.market.id })
  expect(namedIn(closed.content.message)).toEqual(['get_market', 'list_bars', 'get_asof'])
  const closedToFree = await as('free').call('get_orderbook', { market: scene.past.market.id })
  expect(namedIn(closedToFree.content.message)).toEqual(['get_market'])
  const refused = await as('free').call('list_gaps', { market: scene.past.market.id })
  expect(refused.content.message).toMatch(/needs pro or scale or enterprise\. get_limits/)
  for (const sentences of Object.values(ADVICE))
    for (const [tool, sentence] of sentences) expect(namedIn(sentence), sentence).toEqual([tool])
})

describe('arguments', () => {
  test.each([
    ['one that is not known', { colour: 'red' }, 'Unknown argument'],
    ['a list where text belongs', { category: ['crypto'] }, 'category'],
    ['control characters', { subcategory: 'a\u0000b' }, 'control characters'],
    ['a cursor that was made up', { cursor: '../etc' }, 'cursor'],
  ])('%s is refused with a message', async (_, args, words) => {
    const { isError, content } = await as('free').call('list_live_markets', args)
    expect(isError).toBe(true)
    expect(content).toMatchObject({ error: 'invalid_request', status: 400, message: expect.stringContaining(words) })
  })

  test('numbers may be strings and strings may be numbers', async () => {
    const one = await as('free').call('list_live_markets', { limit: '1', coin: 'btc' })
    expect(one.content.answer).toHaveLength(1)
    const at = { market: scene.past.market.id, from: PAST_HOUR_MS / 1_000, limit: 1 }
    expect((await as('pro').call('list_bars', at)).content.answer.bars).toHaveLength(1)
  })
})
