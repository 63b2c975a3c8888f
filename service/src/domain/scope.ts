/** What a key may be used for; without a choice, for everything the tier includes. */
export const SCOPES = ['live', 'history', 'stream', 'mcp'] as const
export type Scope = (typeof SCOPES)[number]
