import { createHash } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { ApiError } from '../domain/api-error.ts'
import type { Scope } from '../domain/scope.ts'
import type { Capability } from '../domain/tier.ts'
import { scopeFor } from '../endpoints/endpoint.ts'
import { type Allowance, authorise, type RequiredAccess } from '../pipeline/authorise.ts'
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
        given: argumentsIn(given),
        requires: requirementsOf(scopeFor(tool.access, argumentsIn(given))),
        isFree: false,
        isUse: true,
        // MCP has no idempotency key, so every call is charged.
        fingerprint: () =>
          createHash('sha256')
            .update(`mcp ${tool.name} ${JSON.stringify(given)}`)
            .digest('hex'),
        handle,
        render: ({ content }) => ({ content, status: 200, isDelivered: true }),
      }
    },
    send: ({ content }, { charged = 0, remaining, books, freeBooksLeft } = {}) =>
      resultOf({
        ...content,
        credits: {
          charged,
          ...(remaining !== undefined && { remaining }),
          ...(books !== undefined && { exact_books: books, free_books_left: freeBooksLeft }),
        },
      }),
    refuse(refusal) {
      if (refusal.code === 'internal' && !signal.aborted) onDefect(refusal.cause, requestId)
      return toolError(refusal, requestId, isListed)
    },
  }
}

/** Only after the tool has read its arguments. */
function argumentsIn(given: unknown): Readonly<Record<string, unknown>> {
  return (given ?? {}) as Readonly<Record<string, unknown>>
}

/** Calls that need the scope `history` need full MCP access. */
function requirementsOf(scope: Scope | undefined): Capability[] {
  return scope === 'history' ? ['mcp_full'] : []
}

/** Whether some call of the tool is allowed: a tool may need one scope for the present and another for the past. */
export function mayCall(caller: NonNullable<Allowance['caller']>, { access }: Pick<Tool, 'access'>): boolean {
  const scopes = [access.scope, ...Object.values(access.scopeWith ?? {})]
  return scopes.some((scope) => isAllowed(caller, { ...access, scope }))
}

function isAllowed(caller: NonNullable<Allowance['caller']>, access: RequiredAccess): boolean {
  try {
    authorise({ caller }, access, requirementsOf(access.scope))
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
