import { createHash } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { ApiError } from '../domain/api-error.ts'
import type { Capability } from '../domain/tier.ts'
import { type Allowance, authorise } from '../pipeline/authorise.ts'
import type { Exchange, Priced, Rendering } from '../pipeline/exchange.ts'
import { adviseOn } from './error-advice.ts'
import { ReplyShape } from './reply-shape.ts'
import type { Content, Tool } from './tool.ts'

interface RenderedContent extends Rendering {
  readonly content: Content
}

export interface ToolCall {
  readonly tool: Tool
  readonly given: unknown
  readonly requestId: string
  readonly signal: AbortSignal
  /** Whether the caller may use the tool of this name. */
  readonly isListed: (tool: string) => boolean
  /** Receives internal errors; the agent gets only their code. */
  readonly onDefect: (error: unknown, requestId: string) => void
}

/** A tool call inside an MCP message. */
export function toolExchange(call: ToolCall): Exchange<Priced & { content: Content }, RenderedContent, CallToolResult> {
  const { tool, given, requestId, signal, isListed, onDefect } = call
  return {
    transport: 'mcp',
    operation: tool,
    route: tool.name,
    requestId,
    // The credentials of the message are already checked.
    credentials: { ip: '' },
    onDisconnect(callback) {
      if (signal.aborted) callback()
      signal.addEventListener('abort', callback)
      return () => signal.removeEventListener('abort', callback)
    },
    async readInput() {
      const handle = tool.read(given)
      return {
        requires: requirementsOf(tool),
        isFree: false,
        isUse: true,
        // MCP has no idempotency key, so every call is charged.
        fingerprint: () =>
          createHash('sha256')
            .update(`mcp ${tool.name} ${JSON.stringify(given)}`)
            .digest('hex'),
        handle: async (context) => ({ content: await handle(context) }),
        render: ({ content }) => ({ content, status: 200, isDelivered: true }),
      }
    },
    send: ({ content }, { charged = 0, remaining } = {}) =>
      resultOf({ ...content, credits: { charged, ...(remaining !== undefined && { remaining }) } }),
    refuse(refusal) {
      if (refusal.code === 'internal' && !signal.aborted) onDefect(refusal.cause, requestId)
      return toolError(refusal, requestId, isListed)
    },
  }
}

/** Tools with the scope `history` need full MCP access. */
function requirementsOf({ access }: Tool): Capability[] {
  return access.scope === 'history' ? ['mcp_full'] : []
}

export function mayCall(caller: NonNullable<Allowance['caller']>, tool: Tool): boolean {
  try {
    authorise({ caller }, tool.access, requirementsOf(tool))
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** The error object of the API. Its details may contain text of venues, so they are shaped like answers. */
export function toolError(refusal: ApiError, requestId: string, isListed: ToolCall['isListed']): CallToolResult {
  const { body, retryAfterSeconds } = refusal
  const shape = new ReplyShape({ depth: 0, omit: [], areGapsRows: false })
  const error = {
    ...(shape.of(body) as object),
    message: adviseOn(refusal, isListed),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: Math.ceil(retryAfterSeconds) }),
    request_id: requestId,
  }
  return { ...resultOf(error), isError: true }
}

function resultOf(content: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content }
}
