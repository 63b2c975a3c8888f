import type { KeyAccess, RequestContext } from '../endpoints/endpoint.ts'
import type { Json } from '../endpoints/schemas/json-schema.ts'

/** An answer without its cost. */
export type Content = Readonly<Record<string, unknown>>

/** What a tool call is answered with. */
export interface ToolAnswer {
  readonly content: Content
  /** Exact books that it shows, which count on the meter of the day. */
  readonly books?: number
}

export interface Tool {
  readonly name: string
  readonly title: string
  /** For agents: when to use it, what it costs, and which tool comes next. */
  readonly description: string
  readonly access: KeyAccess
  readonly inputSchema: Json
  /** Validates the arguments and returns the handler. Throws `invalid_request`. */
  read(given: unknown): (context: RequestContext) => Promise<ToolAnswer>
}

/** Limit of an answer, so that it fits into the context of an agent. */
export const MOST_TOKENS = 8_000
/** Prose has about four; digits, ids and punctuation have fewer. */
const CHARACTERS_PER_TOKEN = 3

export function tokensOf(content: unknown): number {
  return Math.ceil(JSON.stringify(content).length / CHARACTERS_PER_TOKEN)
}
