import { createHash } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { ApiError } from '../domain/api-error.ts'
import type { Capability } from '../domain/tier.ts'
import { type Allowance, authorise } from '../pipeline/authorise.ts'
import type { Exchange, Priced, Rendering } from '../pipeline/exchange.ts'
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
  /** Told of defects of the service; the agent gets only their code. */
  readonly onDefect: (error: unknown, requestId: string) => void
}

/** A call of a tool, inside an MCP message. */
export function toolExchange(call: ToolCall): Exchange<Priced & { content: Content }, RenderedContent, CallToolResult> {
  const { tool, given, requestId, signal, onDefect } = call
  return {
    transport: 'mcp',
    operation: tool,
    route: tool.name,
    requestId,
    // Those of the message were checked.
    credentials: { ip: '' },
    departure(onLeft) {
      if (signal.aborted) onLeft()
      signal.addEventListener('abort', onLeft)
      return () => signal.removeEventListener('abort', onLeft)
    },
    async readInput() {
      const handle = tool.read(given)
      return {
        requires: requirementsOf(tool),
        isFree: false,
        isUse: true,
        // Without an idempotency key each call is bought anew.
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
      return toolError(refusal, requestId)
    },
  }
}

/** Tools of history are for tiers that have all of MCP. */
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

/** The error object of the interface. Its details may name markets, so they are shaped like every answer. */
export function toolError({ body, retryAfterSeconds }: ApiError, requestId: string): CallToolResult {
  const shape = new ReplyShape({ depth: 0, omit: [], areGapsRows: false })
  const error = {
    ...(shape.of(body) as object),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: Math.ceil(retryAfterSeconds) }),
    request_id: requestId,
  }
  return { ...resultOf(error), isError: true }
}

function resultOf(content: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content }
}
