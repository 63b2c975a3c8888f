import type { KeyAccess, RequestContext } from '../endpoints/endpoint.ts'
import type { Json } from '../endpoints/schemas/json-schema.ts'

/** All of an answer but what it cost. */
export type Content = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly title: string
  /** For agents: when to use it, and what it costs. */
  readonly description: string
  readonly access: KeyAccess
  readonly inputSchema: Json
  readonly outputSchema: Json
  /** Reads the arguments, or throws `invalid_request`; returns what then answers. */
  read(given: unknown): (context: RequestContext) => Promise<Content>
}

/** An answer is never longer than this, so that an agent can afford to read it. */
export const MOST_TOKENS = 8_000
/** Prose has four or so; digits, ids and punctuation have fewer. */
const CHARACTERS_A_TOKEN = 3

export function tokensOf(content: unknown): number {
  return Math.ceil(JSON.stringify(content).length / CHARACTERS_A_TOKEN)
}
