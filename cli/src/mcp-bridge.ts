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

/** Forwards JSON-RPC messages, one per line, to the service and prints the replies. Ends after the last reply. */
export async function bridgeMcp(options: BridgeOptions, input: Readable, print: (line: string) => void): Promise<void> {
  const lines = createInterface({ input })
  const onAbort = (): void => lines.close()
  options.signal.addEventListener('abort', onAbort, { once: true })
  const pending = new Set<Promise<void>>()
  /** Protocol version negotiated by `initialize`; newer clients send the version in every message. */
  let negotiated: string | undefined
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = parse(line) as Message | undefined
    if (message === undefined) {
      print(errorReply(null, PARSE_ERROR, 'The message is not valid JSON.'))
      continue
    }
    const answered = forward(options, line, message, negotiated).then((answers) => {
      if (message.method === 'initialize') negotiated = versionIn(answers[0])
      for (const answer of answers) print(JSON.stringify(answer))
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
  negotiated?: string,
): Promise<unknown[]> {
  const versionInMessage = message.params?._meta?.[VERSION_IN_MESSAGE]
  const version = typeof versionInMessage === 'string' ? versionInMessage : negotiated
  const name = message.params?.name ?? message.params?.uri
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key !== undefined && { 'x-api-key': key }),
    ...(version !== undefined && { 'mcp-protocol-version': version }),
    ...(typeof versionInMessage === 'string' && message.method !== undefined && { 'mcp-method': message.method }),
    ...(typeof versionInMessage === 'string' && name !== undefined && { 'mcp-name': name }),
  }
  const expectsAnswer = message.id !== undefined && message.method !== undefined
  try {
    const answer = await fetch(url, { method: 'POST', headers, body: line, signal, redirect: 'error' })
    const text = await answer.text()
    const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    const answers = (isEvents ? dataIn(text) : [text]).map(parse).filter(isRpcMessage)
    if (answers.length > 0 || !expectsAnswer) return answers
    const reason =
      (parse(text) as { message?: string } | undefined)?.message ?? `The service answered ${answer.status}.`
    return [JSON.parse(errorReply(message.id ?? null, SERVICE_ERROR, reason))]
  } catch {
    return expectsAnswer
      ? [
          JSON.parse(
            errorReply(
              message.id ?? null,
              SERVICE_ERROR,
              `No reply from ${url}. Check the address and that the service is running.`,
            ),
          ),
        ]
      : []
  }
}

function dataIn(events: string): string[] {
  return events
    .split(/\r?\n\r?\n/)
    .map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data).join('\n'))
}

function errorReply(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

function versionIn(answer: unknown): string | undefined {
  return (answer as { result?: { protocolVersion?: string } } | undefined)?.result?.protocolVersion
}

function isRpcMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
