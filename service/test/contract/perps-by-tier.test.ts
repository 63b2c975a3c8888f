import { type GatewayNode, startGatewayNode } from '@bookreel/testbed/service/gateway-node'
import { type Answered, TestService } from '@bookreel/testbed/service/test-service'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { Channel, channelKind } from '../../src/gateway/protocol/channels.ts'
import { addMcp } from '../../src/mcp/add-mcp.ts'
import { openMcp } from '../../src/wiring/open-mcp.ts'
import { openPipeline } from '../../src/wiring/open-pipeline.ts'
import { StreamClient } from '../gateway/stream-client.ts'
import type { Caller } from './clause.ts'
import { Callers } from './scene/callers.ts'

/** The live book is that of the last 60 s; a second is left for what is cut at whole slots. */
const HIDDEN_MS = 59_000
const MINUTE_MS = 60_000
const COIN = 'ETH'
const LISTS = ['snapshots', 'trades', 'funding', 'open-interest', 'prices']
/** Not the seconds of a time. */
const NUMBER = /(?<![:\d])\d+\.\d+/g
/** With so many it is not of two things by chance. */
const LEAST_DIGITS = 5
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: { readonly default?: unknown; readonly maximum?: number }
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
}

interface Tool {
  readonly name: string
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, unknown>>
    readonly required?: readonly string[]
  }
}

type Values = Readonly<Record<string, string | number>>

let service: TestService
let callers: Callers
let node: GatewayNode
let operations: readonly Operation[]
/** Numbers of the perps that were recorded in the last 59 s, and of nothing else. */
let young: ReadonlySet<string>
/** What streams have sent, by caller. */
const streamed = new Map<Caller, string>()

beforeAll(async () => {
  service = await TestService.start({ world: 'moving', identity: true })
  const { access, stores, registry, nowMs, config, server } = service
  const pipeline = openPipeline({ access, stores, registry, signIn: undefined, nowMs })
  await addMcp(server, openMcp(config, pipeline, pino({ level: 'silent' })))
  callers = new Callers(service)
  node = await startGatewayNode(service)
  operations = operationsIn((await service.ask('/openapi.json')).body)
  const streams = [await stream('pro'), await stream('scale')]
  await service.world.advance(2_000)
  for (const [as, client] of streams) {
    streamed.set(as, JSON.stringify(client.frames))
    await client.close()
  }
  young = await numbersOfYoungPerps()
}, 360_000)

afterAll(async () => {
  await node?.stop()
  await service?.[Symbol.asyncDispose]()
})

function operationsIn({
  paths,
}: {
  paths: Record<string, Record<string, Pick<Operation, 'parameters'>>>
}): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
    })),
  )
}

/** The open five-minute window of the coin. */
function openWindow(): Market {
  const nowMs = service.nowMs()
  const found = service.world.markets.find(
    ({ slug, startsAtMs = 0, endsAtMs }) =>
      slug.startsWith(`${COIN.toLowerCase()}-updown-5m`) && startsAtMs <= nowMs && nowMs < endsAtMs,
  )
  if (found === undefined) throw new Error(`the world has no open window of ${COIN}`)
  return found
}

/** Values of parameters and arguments, by name. */
function known(): Values {
  const { id, slug, eventSlug } = openWindow()
  const nowMs = service.nowMs()
  return {
    ...{ symbol: COIN, coin: COIN, crypto: COIN, exchange: 'hyperliquid_perp', source: 'chainlink' },
    ...{
      id,
      marketId: id,
      market: slug,
      markets: slug,
      slug,
      event: eventSlug,
      q: 'ethereum',
      side: 'UP',
      action: 'buy',
    },
    ...{ sample: 'none', key_id: 'none', invoice_id: 'none' },
    ...{ timestamp: nowMs - 1_000, from: nowMs - HIDDEN_MS, hour: Math.floor(nowMs / 3_600_000) * 3_600_000 },
  }
}

/** Optional values with which an answer is as new and as fine as it can be. */
const FINE: Values = { order: 'desc', interval: '1s', by: 'hour', column_ms: 500, includebook: 'true', depth: 20 }

/** The same request in several forms: as short as it may be, as fine as it can be, from within the hidden time and from before it. */
function formsOf(parameters: readonly Parameter[]): Values[] {
  const values = known()
  const names = parameters.map(({ name }) => name)
  const required = parameters.filter((each) => each.required && each.in !== 'header').map(({ name }) => name)
  const lacking = required.filter((name) => values[name] === undefined)
  if (lacking.length > 0) throw new Error(`This test has no value for ${lacking.join(', ')}. Add it to known().`)
  const pick = (from: Values): Values =>
    Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
  const least = { ...pick({ size: 5 }), ...Object.fromEntries(required.map((name) => [name, values[name] ?? ''])) }
  const most = parameters.find(({ name }) => name === 'limit')?.schema.maximum
  const fine = { ...least, ...pick({ ...FINE, ...(most !== undefined && { limit: most }) }) }
  const nowMs = service.nowMs()
  const since = [nowMs - 20_000, nowMs - 2 * MINUTE_MS].map((from) => ({ ...fine, ...pick({ from, order: 'asc' }) }))
  const forms = [least, fine, ...since]
  return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()]
}

function address({ path, parameters }: Operation, form: Values): string {
  const inPath = new Set(parameters.filter((each) => each.in === 'path').map(({ name }) => name))
  const query = Object.entries(form).flatMap(([name, value]) => (inPath.has(name) ? [] : [`${name}=${value}`]))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(form[name])))
  return `${filled}?${query.join('&')}`
}

async function ask(as: Caller, method: string, url: string, more: Record<string, unknown> = {}): Promise<Answered> {
  const headers = { ...(await callers.headersOf(as)), ...(more.headers as object) }
  const payload = method === 'GET' ? undefined : JSON.stringify(more.payload ?? {})
  const type = payload !== undefined && { 'content-type': 'application/json' }
  return service.ask(url, {
    method: method as 'GET',
    headers: { ...headers, ...type },
    ...(payload !== undefined && { payload }),
  })
}

const textOf = ({ headers, text }: Answered): string => `${JSON.stringify(headers)} ${text}`

async function textOfLists(query: string): Promise<string> {
  const answers = LISTS.map((list) => ask('scale', 'GET', `/v1/exchange/${list}?symbol=${COIN}&limit=500&${query}`))
  return (await Promise.all(answers)).map(({ text }) => text).join(' ')
}

function numbersIn(text: string): Set<string> {
  return new Set(text.match(NUMBER)?.filter((each) => each.replaceAll(/^0\.0*|\./g, '').length >= LEAST_DIGITS))
}

async function numbersOfYoungPerps(): Promise<Set<string>> {
  const atMs = service.nowMs() - HIDDEN_MS
  const [before, since] = await Promise.all([textOfLists(`to=${atMs}`), textOfLists(`from=${atMs}`)])
  // Perps are near the spot price, which everybody may see.
  const { text: prices } = await ask('scale', 'GET', `/v1/prices?coin=${COIN}&source=binance&limit=5000`)
  const others = numbersIn(`${before} ${prices}`)
  return new Set([...numbersIn(since)].filter((each) => !others.has(each)))
}

/** What an answer tells of the hidden time: numbers of books, trades and contexts, and of answers about a perp also times that were not asked for. */
function hiddenIn(text: string, isAboutPerp: boolean, { from }: Values = {}): string[] {
  const nowMs = service.nowMs()
  const times = [...(text.match(INSTANT) ?? [])].filter((each) => {
    const ageMs = nowMs - Date.parse(each)
    return ageMs >= 0 && ageMs < HIDDEN_MS && Date.parse(each) !== from
  })
  const numbers = [...numbersIn(text)].filter((each) => young.has(each))
  return [...numbers, ...(isAboutPerp ? times : [])].slice(0, 3)
}

async function stream(as: Caller): Promise<[Caller, StreamClient]> {
  const { 'x-api-key': key = '' } = await callers.headersOf(as)
  const client = await StreamClient.open(`ws://127.0.0.1:${node.port}/v1/stream`, key)
  const nowMs = service.nowMs()
  const selectors = [{ symbol: COIN }, { market: openWindow().id }]
  for (const channel of Channel.options) {
    await client.ask({ op: 'subscribe', selectors, channels: [channel] })
    if (channelKind(channel).replays === 'nothing') continue
    const range = { from: nowMs - 2 * MINUTE_MS, to: nowMs }
    const { replay } = await client.ask({ op: 'replay', selectors, channels: [channel], ...range, speed: 'max' })
    if (replay !== undefined) await client.until((frame) => frame.type === 'replay_ended')
  }
  return [as, client]
}

async function tellingPaths(as: Caller, prefix = '', mostForms = Infinity): Promise<Map<string, string[]>> {
  const telling = new Map<string, string[]>()
  for (const operation of operations) {
    const { method, path, parameters } = operation
    if (prefix !== '' && method !== 'GET') continue
    const isAboutPerp = parameters.some(({ name }) => name === 'symbol')
    for (const form of formsOf(parameters).slice(-mostForms)) {
      const { id: market, from } = known()
      const payload = { product: 'replay', markets: [market], from, to: service.nowMs() }
      const headers = prefix === '' ? {} : { 'x-requested-with': 'bookreel' }
      const answer = await ask(as, method, `${prefix}${address(operation, form)}`, { payload, headers })
      expect([429, 500, 503], `${method} ${path} ${answer.text.slice(0, 300)}`).not.toContain(answer.status)
      const hidden = hiddenIn(textOf(answer), isAboutPerp, form)
      if (hidden.length > 0) telling.set(`${method} ${path}`, hidden)
    }
  }
  return telling
}

async function callMcp(as: Caller, method: string, params: Record<string, unknown>): Promise<string> {
  const headers = { accept: 'application/json, text/event-stream' }
  const payload = { jsonrpc: '2.0', id: 1, method, params }
  const { status, text } = await ask(as, 'POST', '/mcp', { headers, payload })
  expect(status, text).toBe(200)
  return text
}

async function tellingTools(as: Caller): Promise<string[]> {
  const listed = await callMcp(as, 'tools/list', {})
  const { tools } = JSON.parse(listed.slice(listed.indexOf('{'))).result as { tools: Tool[] }
  expect(tools.length).toBeGreaterThan(5)
  const telling: string[] = []
  for (const { name, inputSchema } of tools) {
    const { properties, required = [] } = inputSchema
    const parameters = Object.entries(properties).map(([argument, schema]) => ({
      name: argument,
      in: 'query',
      required: required.includes(argument),
      schema: schema as Parameter['schema'],
    }))
    for (const form of formsOf(parameters)) {
      const text = await callMcp(as, 'tools/call', { name, arguments: form })
      expect(text, name).not.toContain('invalid_request')
      if (hiddenIn(text, name.includes('exchange'), form).length > 0) telling.push(name)
    }
  }
  return [...new Set(telling)]
}

const aboutPerps = (): string[] =>
  operations
    .filter(({ parameters }) => parameters.some(({ name }) => name === 'symbol'))
    .map(({ method, path }) => `${method} ${path}`)

describe('perps of the last 59 seconds', () => {
  test('are in the answers of every path about them for a tier with the live exchange book', async () => {
    expect(young.size).toBeGreaterThan(100)
    const telling = new Set((await tellingPaths('scale')).keys())
    // A file has a finished hour, and completeness is told by hour.
    const others = ['GET /v1/exchange/export', 'GET /v1/exchange/coverage']
    expect(telling).toEqual(new Set([...aboutPerps().filter((each) => !others.includes(each)), 'GET /v1/asof']))
    expect(await tellingTools('scale')).toEqual(['get_exchange_orderbook', 'get_asof', 'list_exchange_snapshots'])
    expect(hiddenIn(streamed.get('scale') ?? '', false)).not.toEqual([])
  })

  test.each(['pro', 'free'] as const)('are on no path for a key of the tier %s', async (as) => {
    expect([...(await tellingPaths(as))]).toEqual([])
  })

  test.each([
    ['pro', 'key maker', Infinity],
    // Its pages may ask 60 times a minute.
    ['free', 'member', 1],
  ] as const)('are on no path of the console for a person of the tier %s', async (_, as, mostForms) => {
    expect([...(await tellingPaths(as, '/app/api', mostForms))]).toEqual([])
  })

  test.each(['pro', 'free'] as const)('are told by no MCP tool to a key of the tier %s', async (as) => {
    expect(await tellingTools(as)).toEqual([])
  })

  test('are sent by no channel, live or replayed, to a key of the tier pro', () => {
    const frames = streamed.get('pro') ?? ''
    expect(frames).toContain(openWindow().id)
    expect(hiddenIn(frames, false)).toEqual([])
    expect(frames.match(/tier_not_allowed/g)?.length).toBeGreaterThanOrEqual(Channel.options.length)
  })
})
