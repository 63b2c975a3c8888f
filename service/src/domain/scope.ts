import { ApiError } from './api-error.ts'

/** What a key may be used for; without a choice, for everything the tier includes. */
export const SCOPES = ['live', 'history', 'stream', 'mcp'] as const
export type Scope = (typeof SCOPES)[number]

/** Throws `scope_not_allowed`. */
export function requireScope(scopes: readonly Scope[], scope: Scope): void {
  if (scopes.includes(scope)) return
  throw new ApiError(
    'scope_not_allowed',
    `This key does not have the scope ${scope}. Use or create a key that has it.`,
    {
      details: { scope, scopes },
    },
  )
}
