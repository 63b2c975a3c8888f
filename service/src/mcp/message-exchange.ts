import { toWebRequest } from '@modelcontextprotocol/node'
import { createMcpHandler, INVALID_REQUEST, PARSE_ERROR, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../domain/api-error.ts'
import { isDeeperThan } from '../domain/json-depth.ts'
import { checkValue } from '../domain/value-problems.ts'
import { answerAdmitted, type PipelineDeps } from '../pipeline/answer.ts'
import type { Exchange, Priced, Rendering } from '../pipeline/exchange.ts'
import { presentedKey } from '../pipeline/presented-key.ts'
import { readBody } from '../pipeline/read-body.ts'
import { errorHeaders, rateHeaders } from '../pipeline/status-headers.ts'
import type { Tool } from './tool.ts'
import { mayCall, type ToolCall, toolError, toolExchange } from './tool-exchange.ts'
import { type ToolServerOptions, toolServer } from './tool-server.ts'
import { tools } from './tools.ts'

export interface MessageOptions extends Pick<ToolCall, 'onDefect'> {
  readonly pipeline: PipelineDeps
  readonly sendError: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => FastifyReply
}

interface RenderedResponse extends Rendering {
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const MAX_BODY_BYTES = 64 * 1024
/** Arguments of tools have only a few levels. */
const MAX_DEPTH = 32
/** Access of the message; a tool call in it also needs the access of its tool. */
const OPERATION = { name: 'mcp', access: { by: 'key', scope: 'mcp' } } as const
const MessageId = z.union([z.string(), z.number()])
const ToolCallMessage = z.looseObject({
  params: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }),
})
/** Headers that Fastify sets itself. */
const TRANSFER_HEADERS = new Set(['connection', 'content-length', 'transfer-encoding'])

/** An error that is sent as a JSON-RPC error. */
class MessageError extends ApiError {
  readonly rpcCode: number

  readonly messageId: unknown

  constructor(rpcCode: number, message: string, messageId: unknown = null) {
    super('invalid_request', message)
    this.rpcCode = rpcCode
    this.messageId = messageId
  }
}

/** An HTTP request with one MCP message. A tool call in it passes the pipeline again, as the same caller. */
export function messageExchange(
  options: MessageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Exchange<Priced & { response: Response }, RenderedResponse, FastifyReply> {
  const { pipeline, onDefect, sendError } = options
  const requestId = request.id
  let message: Promise<unknown> | undefined
  let isCallRecorded = false
  let isAuthenticated = false
  const readMessage = (): Promise<unknown> => {
    message ??= readBody(request.raw, MAX_BODY_BYTES).then(parsedMessage)
    return message
  }
  const send = ({ status, headers, text }: RenderedResponse): FastifyReply =>
    reply.status(status).headers(headers).send(text)
  return {
    transport: 'mcp',
    operation: OPERATION,
    get route() {
      return isCallRecorded ? undefined : OPERATION.name
    },
    requestId,
    credentials: { key: presentedKey(request.headers), ip: request.ip },
    onAuthenticated({ caller }) {
      isAuthenticated = true
      request.accountId = caller?.accountId
    },
    onAdmitted(rate) {
      reply.headers(rateHeaders(rate))
    },
    async readInput() {
      if (request.headers['mcp-session-id'] !== undefined) {
        throw new ApiError('not_found', 'MCP sessions are not supported. Send requests without Mcp-Session-Id.')
      }
      const read = await readMessage()
      return {
        given: {},
        requires: [],
        isFree: true,
        isUse: false,
        fingerprint: () => requestId,
        handle: async (_context, admitted) => {
          const mayUse = (tool: Tool): boolean => admitted.caller !== undefined && mayCall(admitted.caller, tool)
          const isListed = (name: string): boolean => tools.some((tool) => tool.name === name && mayUse(tool))
          const call: ToolServerOptions['call'] = (tool, given, signal) => {
            isCallRecorded = true
            const exchange = toolExchange({ tool, given, requestId, signal, isListed, onDefect })
            return answerAdmitted(pipeline, exchange, admitted)
          }
          return { response: await respond(request, read, { isListed: mayUse, call }) }
        },
        render: ({ response }) => rendered(response),
      }
    },
    send,
    async refuse(refusal) {
      if (refusal instanceof MessageError) {
        const { rpcCode: code, message: text, messageId: id } = refusal
        return reply.status(refusal.status).send({ jsonrpc: '2.0', error: { code, message: text }, id })
      }
      // A rate-limited call of a valid key gets a tool error, because agents read tool errors but not HTTP errors.
      if (
        isAuthenticated &&
        refusal.code === 'rate_limited' &&
        isToolCall(await readMessage().catch(() => undefined))
      ) {
        const response = await respond(request, await readMessage(), {
          isListed: () => false,
          call: async () => toolError(refusal, requestId, (name) => name === 'get_limits'),
        })
        reply.headers(errorHeaders(refusal))
        return send(await rendered(response))
      }
      return sendError(refusal, request, reply)
    },
  }
}

/** Lets the MCP library answer the message. */
async function respond(request: FastifyRequest, message: unknown, options: ToolServerOptions): Promise<Response> {
  const handler = createMcpHandler(() => toolServer(options), {
    legacy: 'stateless',
    // The list of tools never changes, so a subscription would only hold a connection open.
    maxSubscriptions: 0,
  })
  const abort = new AbortController()
  const onClose = (): void => abort.abort()
  request.raw.socket.once('close', onClose)
  try {
    const webRequest = await toWebRequest(Object.assign(request.raw, { method: 'POST', url: '/mcp' }), message, {
      signal: abort.signal,
    })
    const response = await handler.fetch(webRequest, { parsedBody: message })
    return new Response(await response.text(), response)
  } finally {
    request.raw.socket.off('close', onClose)
  }
}

async function rendered(response: Response): Promise<RenderedResponse> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !TRANSFER_HEADERS.has(name)))
  return { status: response.status, isDelivered: true, headers, text: await response.text() }
}

function parsedMessage(text: string | undefined): unknown {
  const message = parsedJson(text ?? '')
  if (message === undefined) throw new MessageError(PARSE_ERROR, 'The body is not valid JSON.')
  if (Array.isArray(message)) {
    throw new MessageError(INVALID_REQUEST, 'Batches are not supported. Send one message per request.')
  }
  if (isDeeperThan(message, MAX_DEPTH))
    throw new MessageError(INVALID_REQUEST, `The message must have at most ${MAX_DEPTH} nested levels.`)
  if (isToolCall(message)) requireToolCall(message)
  return message
}

/** Checked here too, because the library answers with the sentences of its validator. */
function requireToolCall(message: unknown): void {
  const checked = checkValue(ToolCallMessage, message, 'message')
  if ('data' in checked) return
  const [{ parameter, problem }] = checked.problems
  const { data: id = null } = MessageId.safeParse((message as { id?: unknown }).id)
  throw new MessageError(ProtocolErrorCode.InvalidParams, `${parameter} ${problem}`, id)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isToolCall(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call'
}
