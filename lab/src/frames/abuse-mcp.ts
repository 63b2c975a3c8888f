import { type Random, random } from '@bookreel/simulator/world/random'
import type { Findings } from '../fuzz/findings.ts'
import { HttpClient, type Reply } from '../http-client.ts'
import { problemOfRpc } from './rpc-answer.ts'
import { anyJson, brokenText, type Json, spoil } from './spoil.ts'

export interface McpAbuse {
  readonly port: number
  readonly keys: readonly string[]
  readonly calls: number
  readonly connections: number
  readonly seed: string
  readonly untilMs: number
  readonly ids: readonly string[]
  readonly onProgress: (sent: number) => void
}

const METHODS = ['initialize', 'tools/list', 'tools/call', 'ping', 'notifications/initialized', 'resources/list', 'x']
const ROUTE = '/mcp'
const HOUR_MS = 3_600_000

/** Sends hostile messages, one a request; returns their number. */
export async function abuseMcp(abuse: McpAbuse, findings: Findings): Promise<number> {
  using client = new HttpClient(abuse.connections)
  const tools = await toolsOf(client, abuse)
  let [next, sent] = [0, 0]
  const work = async (): Promise<void> => {
    for (let index = next++; index < abuse.calls && performance.now() < abuse.untilMs; index = next++) {
      const draw = random(abuse.seed, 'call', index)
      const { kind, body } = makeCall(tools, abuse.ids, draw)
      const reply = await client
        .ask({
          port: abuse.port,
          path: ROUTE,
          method: 'POST',
          headers: headersOf(draw, draw.pick(abuse.keys)),
          body,
        })
        .catch(() => undefined)
      judge({ index, kind, request: String(body), reply }, findings)
      abuse.onProgress(++sent)
    }
  }
  await Promise.all(Array.from({ length: abuse.connections }, work))
  return sent
}

interface ToolFacts {
  readonly name: string
  readonly properties: readonly string[]
}

async function toolsOf(client: HttpClient, { port, keys }: McpAbuse): Promise<ToolFacts[]> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = { ...USUAL_HEADERS, 'x-api-key': keys[0] ?? '' }
  const reply = await client.ask({ port, path: ROUTE, method: 'POST', headers, body })
  const text = messageIn(reply)
  const { result } = JSON.parse(text) as {
    result: { tools: { name: string; inputSchema: { properties?: Record<string, unknown> } }[] }
  }
  return result.tools.map(({ name, inputSchema }) => ({ name, properties: Object.keys(inputSchema.properties ?? {}) }))
}

function makeCall(
  tools: readonly ToolFacts[],
  ids: readonly string[],
  draw: Random,
): { kind: string; body: string | Buffer } {
  const valid = validCall(tools, ids, draw)
  const share = draw.next()
  if (share < 0.15) return { kind: 'valid', body: JSON.stringify(valid) }
  if (share < 0.75) return { kind: 'spoiled', body: JSON.stringify(spoil(valid, draw)) }
  if (share < 0.85) return { kind: 'random', body: JSON.stringify(anyJson(draw)) }
  return { kind: 'broken', body: brokenText(JSON.stringify(valid), draw) }
}

function validCall(tools: readonly ToolFacts[], ids: readonly string[], draw: Random): Json {
  const head = { jsonrpc: '2.0', id: draw.whole(1, 1_000_000) }
  if (draw.chance(0.25)) return { ...head, method: draw.pick(METHODS), params: {} }
  const { name, properties } = draw.pick(tools)
  const given = properties.filter(() => draw.chance(0.5)).map((property) => [property, valueFor(property, ids, draw)])
  return { ...head, method: 'tools/call', params: { name, arguments: Object.fromEntries(given) } }
}

function valueFor(property: string, ids: readonly string[], draw: Random): Json {
  if (/^(id|market|marketId|market_id)$/.test(property)) return draw.pick(ids)
  if (property === 'markets') return draw.chance(0.5) ? [draw.pick(ids)] : draw.pick(ids)
  if (/from|to|at|time/.test(property)) return new Date(Date.now() - draw.whole(0, HOUR_MS)).toISOString()
  return draw.pick<Json>(['BTC', '5m', 'UP', 'buy', 5, 1, 100, true])
}

const USUAL_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function headersOf(draw: Random, key: string): Record<string, string> {
  const headers: Record<string, string> = { ...USUAL_HEADERS, 'x-api-key': key }
  if (draw.chance(0.9)) return headers
  const oddities: Record<string, string>[] = [
    { accept: 'text/html' },
    { 'content-type': 'text/plain' },
    { 'mcp-session-id': 'none' },
    { 'mcp-protocol-version': '1999-01-01' },
    { 'x-api-key': 'none', 'x-forwarded-for': `10.0.${draw.whole(0, 255)}.${draw.whole(1, 254)}` },
    { host: 'evil.example' },
    { origin: 'https://evil.example' },
  ]
  return { ...headers, ...draw.pick(oddities) }
}

interface Judged {
  readonly index: number
  readonly kind: string
  readonly request: string
  readonly reply: Reply | undefined
}

function judge({ index, kind, request, reply }: Judged, findings: Findings): void {
  if (reply === undefined) {
    findings.unanswered++
    findings.count(ROUTE, 'no answer')
    findings.fail(ROUTE, { index, kind, request, status: 'no answer', problem: 'no answer', answer: '' })
    return
  }
  const { status } = reply
  const answer = messageIn(reply)
  const problem = problemOfRpc(status, answer)
  findings.count(ROUTE, status)
  findings.noteStatus(status)
  if (problem !== undefined) findings.breaches++
  if (status >= 500 || problem !== undefined) {
    findings.fail(ROUTE, { index, kind, request, status, problem: problem ?? 'an error of ours', answer })
  }
}

/** The message, also when it is sent as a server-sent event. */
function messageIn({ headers, body }: Reply): string {
  const text = body.toString('utf8')
  const isEvent = String(headers['content-type']).startsWith('text/event-stream')
  return isEvent ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text
}
