import type { AddressInfo } from 'node:net'
import { PastMarket } from '@bookreel/testbed/service/past-market'
import { list, madeMarket, madeRow, putInRedis } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { Ladders } from '../../src/domain/book.ts'
import type { Trade } from '../../src/domain/rows/trade.ts'
import { addMcp } from '../../src/mcp/add-mcp.ts'
import { openMcp } from '../../src/wiring/open-mcp.ts'
import { openPipeline } from '../../src/wiring/open-pipeline.ts'

export interface Called {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its result.
  readonly content: any
  readonly text: string
}

export interface Agent extends AsyncDisposable {
  readonly client: Client
  call(name: string, args?: Record<string, unknown>): Promise<Called>
}

/** The frozen world with MCP and a large past market. */
export interface McpScene extends AsyncDisposable {
  readonly service: TestService
  readonly url: URL
  /** Three hours ago: 400 rows of deep ladders, 80 gaps, 90 trades. */
  readonly past: PastMarket
  /** Live, with deep ladders and the longest texts. */
  readonly deep: ReturnType<typeof madeMarket>
  agent(key: string, era?: 'modern' | 'legacy'): Promise<Agent>
}

const LEVELS = 60
const ROWS = 400

const DEEP: Ladders = {
  bids: Array.from({ length: LEVELS }, (_, step) => ({ price: 4_800 - step * 10, size: 1_234_567_890 + step })),
  asks: Array.from({ length: LEVELS }, (_, step) => ({ price: 5_100 + step * 10, size: 9_876_543_210 + step })),
}

export async function startMcpScene(): Promise<McpScene> {
  const service = await TestService.start({ world: 'frozen' })
  const { access, stores, config, registry, nowMs } = service
  const log = pino({ level: 'silent' })
  const pipeline = openPipeline({ access, stores, registry, signIn: undefined, nowMs })
  await addMcp(service.server, openMcp(config, pipeline, log))
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  const longest = 'Will it be? '.repeat(100)
  const words = { question: longest, label: longest, eventTitle: longest }
  const deep = madeMarket('mcp-deep', { ...words, outcomeNames: [longest, longest] })
  await list(service, [deep])
  const past = await PastMarket.save(service, 'mcp-past', words)
  await past.putRows(Array.from({ length: ROWS }, (_, offset) => past.row(offset, { up: DEEP })))
  await past.putGaps(
    Array.from({ length: 80 }, (_, index) => past.gap(ROWS + index * 10, ROWS + index * 10 + 9, { detail: longest })),
  )
  await past.putTrades(Array.from({ length: 90 }, (_, index) => tradeOf(past, index)))
  return {
    service,
    url,
    past,
    deep,
    async agent(key, era = 'modern') {
      const options = era === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}
      const client = new Client({ name: 'test', version: '1.0.0' }, options)
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-api-key': key } } }))
      return {
        client,
        async call(name, args = {}) {
          // Nobody records this market, and a row older than a minute is not served.
          await putInRedis(service, [madeRow(deep, { atMs: service.nowMs(), up: DEEP })])
          const { isError, structuredContent, content } = await client.callTool({ name, arguments: args })
          const [first] = content
          const text = first?.type === 'text' ? first.text : ''
          expect(JSON.parse(text)).toEqual(structuredContent)
          return { isError: isError === true, content: structuredContent, text }
        },
        [Symbol.asyncDispose]: () => client.close(),
      }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

function tradeOf({ market }: PastMarket, index: number): Trade {
  const atMs = (market.startsAtMs ?? 0) + index * 1_000
  return {
    marketId: market.id,
    outcome: 0,
    side: 'BUY',
    price: 5_000,
    size: 1_000_000 + index,
    tradedAtMs: atMs,
    receivedAtMs: atMs + 50,
    transactionHash: `0x${String(index).padStart(64, '0')}`,
    occurrence: 0,
  }
}
