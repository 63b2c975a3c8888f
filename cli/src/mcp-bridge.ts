import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface BridgeOptions {
  readonly url: string
  readonly key: string | undefined
  readonly signal: AbortSignal
}

interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly uri?: string
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

const VERSION_IN_MESSAGE = 'io.modelcontextprotocol/protocolVersion'
const PARSE_ERROR = -32_700
const SERVICE_ERROR = -32_000

/** JSON-RPC, one message a line, to the service and back. It ends when the input does, after the last answer. */
export async function bridgeMcp(options: BridgeOptions, input: Readable, say: (line: string) => void): Promise<void> {
  const lines = createInterface({ input })
  const onAbort = (): void => lines.close()
  options.signal.addEventListener('abort', onAbort, { once: true })
  const pending = new Set<Promise<void>>()
  /** What client and service agreed on in the beginning; later revisions say it in every message. */
  let agreed: string | undefined
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = parse(line) as Message | undefined
    if (message === undefined) {
      say(refusal(null, PARSE_ERROR, 'The line is not JSON.'))
      continue
    }
    const answered = forward(options, line, message, agreed).then((answers) => {
      if (message.method === 'initialize') agreed = versionIn(answers[0])
      for (const answer of answers) say(JSON.stringify(answer))
    })
    pending.add(answered)
    void answered.finally(() => pending.delete(answered))
    if (message.method === 'initialize') await answered
  }
  await Promise.all(pending)
  options.signal.removeEventListener('abort', onAbort)
  options.signal.throwIfAborted()
}

async function forward(
  { url, key, signal }: BridgeOptions,
  line: string,
  message: Message,
  agreed?: string,
): Promise<unknown[]> {
  const told = message.params?._meta?.[VERSION_IN_MESSAGE]
  const version = typeof told === 'string' ? told : agreed
  const name = message.params?.name ?? message.params?.uri
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key !== undefined && { 'x-api-key': key }),
    ...(version !== undefined && { 'mcp-protocol-version': version }),
    ...(typeof told === 'string' && message.method !== undefined && { 'mcp-method': message.method }),
    ...(typeof told === 'string' && name !== undefined && { 'mcp-name': name }),
  }
  const expectsAnswer = message.id !== undefined && message.method !== undefined
  try {
    const answer = await fetch(url, { method: 'POST', headers, body: line, signal, redirect: 'error' })
    const text = await answer.text()
    const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    const answers = (isEvents ? dataIn(text) : [text]).map(parse).filter(isRpc)
    if (answers.length > 0 || !expectsAnswer) return answers
    const words = (parse(text) as { message?: string } | undefined)?.message ?? `The service answered ${answer.status}.`
    return [JSON.parse(refusal(message.id ?? null, SERVICE_ERROR, words))]
  } catch {
    return expectsAnswer ? [JSON.parse(refusal(message.id ?? null, SERVICE_ERROR, `No answer from ${url}.`))] : []
  }
}

function dataIn(events: string): string[] {
  return events
    .split(/\r?\n\r?\n/)
    .map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data).join('\n'))
}

function refusal(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

function versionIn(answer: unknown): string | undefined {
  return (answer as { result?: { protocolVersion?: string } } | undefined)?.result?.protocolVersion
}

function isRpc(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
