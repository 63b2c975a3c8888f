import { type CodeSample, type CodeView, commandSample, KEY_NEED, type TimeRange } from './code-sample.ts'
import { streamSamples } from './stream-samples.ts'

export const TOPICS = ['live book', 'live stream', 'book at a moment', 'replay', 'bars', 'stored books'] as const
export type Topic = (typeof TOPICS)[number]

interface Call {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly typescript: string
  readonly python: string
  /** Left out where the command line or MCP has nothing that reads the same. */
  readonly command?: string
  readonly tool?: string
  readonly toolArguments?: Readonly<Record<string, string>>
  /** The TypeScript code reads all pages. */
  readonly hasPages?: boolean
}

const BAR = '1m'
const PAGE = '500'
/** The same request in every language that has it. */
export function samplesOf(topic: Topic, view: CodeView): CodeSample[] {
  if (topic === 'live stream' || topic === 'replay') return streamSamples(topic, view)
  const call = CALLS[topic](view)
  const pages = call.hasPages === true ? ' It reads the first page; next_cursor of the answer leads to the next.' : ''
  return [
    { language: 'curl', needs: `${KEY_NEED}.${pages}`, code: curl(view, call) },
    {
      language: 'TypeScript',
      needs: `${KEY_NEED}, and the package @bookreel/sdk is installed.`,
      code: typescript(view, call),
    },
    { language: 'Python', needs: `${KEY_NEED}. No package is needed.${pages}`, code: python(view, call) },
    ...(call.command === undefined ? [] : [commandSample(view, call.command)]),
    ...(call.tool === undefined
      ? []
      : [{ language: 'MCP', needs: `${KEY_NEED}; the key has the scope mcp.`, code: mcp(view, call) } as const]),
  ]
}

const CALLS: Readonly<Record<Exclude<Topic, 'live stream' | 'replay'>, (view: CodeView) => Call>> = {
  'book at a moment': ({ marketId, side, at }) => {
    const parameters = { timestamp: at, side: side.toUpperCase(), includebook: 'true' }
    return {
      path: '/api/snapshot',
      parameters: { marketId, ...parameters },
      typescript: `const book = await client.snapshots.get({
  marketId: market, timestamp: '${at}', side: '${side.toUpperCase()}', includebook: true,
})
console.log(book.capture_timestamp, book.bids?.[0], book.asks?.[0])`,
      python: `print(answer["capture_timestamp"], answer["bids"][:1], answer["asks"][:1])`,
    }
  },
  'live book': ({ marketId, side }) => ({
    path: `/v1/markets/${marketId}/orderbook`,
    parameters: {},
    typescript: `const { ${side} } = await client.markets.orderbook(market)
console.log(${side}.bestBid, ${side}.bestAsk)`,
    python: `print(answer["${side}"]["bestBid"], answer["${side}"]["bestAsk"])`,
    command: `book ${marketId} --side ${side.toUpperCase()} --once`,
    tool: 'get_orderbook',
    toolArguments: { market: marketId },
  }),
  bars: ({ marketId, side, range }) => {
    const parameters = { ...range, interval: BAR, side: side.toUpperCase() }
    return {
      path: `/v1/markets/${marketId}/bars`,
      parameters,
      typescript: `for await (const bar of client.history.allBars(market, ${objectText(parameters)}))
  console.log(bar.start, bar.open, bar.high, bar.low, bar.close)`,
      python: `for bar in answer["bars"]:
    print(bar["start"], bar["open"], bar["high"], bar["low"], bar["close"])`,
      command: `bars ${marketId} --from ${range.from} --to ${range.to} --interval ${BAR} --side ${side.toUpperCase()}`,
      hasPages: true,
      tool: 'list_bars',
      toolArguments: { market: marketId, ...parameters },
    }
  },
  'stored books': ({ marketId, side, range }) => {
    const parameters = { ...range, side: side.toUpperCase(), order: 'asc' }
    return {
      path: `/v1/markets/${marketId}/snapshots`,
      parameters: { ...parameters, limit: PAGE },
      typescript: `for await (const row of client.snapshots.all(market, ${objectText(parameters)}))
  console.log(row.capture_timestamp, row.best_bid, row.best_ask)`,
      python: `for row in answer["snapshots"]:
    print(row["capture_timestamp"], row["best_bid"], row["best_ask"])`,
      command: `snapshots ${marketId} --from ${range.from} --to ${range.to} --side ${side.toUpperCase()} --order asc --limit ${PAGE}`,
      hasPages: true,
      tool: 'list_snapshots',
      toolArguments: { market: marketId, ...range, side: side.toUpperCase() },
    }
  },
}

function addressOf({ baseUrl }: CodeView, { path, parameters }: Call): string {
  const query = new URLSearchParams(parameters).toString()
  return `${baseUrl}${path}${query === '' ? '' : `?${query}`}`
}

function curl(view: CodeView, call: Call): string {
  return `curl -s -H "X-API-Key: $BOOKREEL_KEY" "${addressOf(view, call)}"`
}

function typescript({ baseUrl, marketId }: CodeView, call: Call): string {
  return `import { Bookreel } from '@bookreel/sdk'

const client = new Bookreel({ baseUrl: '${baseUrl}', key: process.env.BOOKREEL_KEY })
const market = '${marketId}'
${call.typescript}`
}

function python(view: CodeView, call: Call): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    "${addressOf(view, call)}",
    headers={"X-API-Key": os.environ["BOOKREEL_KEY"]},
)
with urllib.request.urlopen(request, timeout=30) as reply:
    answer = json.load(reply)
${call.python}`
}

/** The message that a client of the protocol sends, so that it can be tried without one. */
function mcp({ baseUrl }: CodeView, { tool, toolArguments }: Call): string {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: toolArguments } }
  return `claude mcp add --transport http bookreel "${baseUrl}/mcp" --header "X-API-Key: $BOOKREEL_KEY"

# or the message itself
curl -s "${baseUrl}/mcp" -H "X-API-Key: $BOOKREEL_KEY" \\
  -H "Content-Type: application/json" -H "Accept: application/json, text/event-stream" \\
  -d '${JSON.stringify(message)}'`
}

function objectText(values: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(values)
    .map(([name, value]) => `${name}: '${value}'`)
    .join(', ')} }`
}

const SHOWN_MS = 600_000

/** The last ten minutes before now, or before the end of the market. */
export function usualRange(endDate: string, nowMs: number): TimeRange {
  const endMs = Date.parse(endDate)
  const toMs = Math.floor(Math.min(nowMs, Number.isNaN(endMs) ? nowMs : endMs) / 1_000) * 1_000
  return { from: new Date(toMs - SHOWN_MS).toISOString(), to: new Date(toMs).toISOString() }
}

/** The playhead of the address; of a replay it is the start, when it is in the range. */
export function momentIn(search: Readonly<Record<string, unknown>>): string | undefined {
  const atMs = timeOf(search.at)
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}

/** The range of the view, when its address has one. */
export function rangeIn(search: Readonly<Record<string, unknown>>): TimeRange | undefined {
  const [fromMs, toMs] = [timeOf(search.from), timeOf(search.to)]
  if (fromMs === undefined || toMs === undefined || fromMs >= toMs) return undefined
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}

function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? ms : undefined
}
