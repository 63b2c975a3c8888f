import type { ApiKey, Scope } from '../../data/account-types.ts'

/** What each scope allows. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  live: 'markets, live books and quotes',
  history: 'snapshots, bars, trades, gaps and files',
  stream: 'WebSocket streams and replays',
  mcp: 'tools for agents',
}

const IDLE_MS = 30 * 86_400_000

export function isWorking({ expiresAt }: Pick<ApiKey, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt === null || Date.parse(expiresAt) > nowMs
}

/** True for a key that was not used for 30 days, and is at least that old. */
export function isIdle({ createdAt, lastUsedAt }: Pick<ApiKey, 'createdAt' | 'lastUsedAt'>, nowMs: number): boolean {
  return nowMs - Date.parse(lastUsedAt ?? createdAt) > IDLE_MS
}

/** Why no further key can be created; undefined when one can. */
export function keyLimitText(tier: string, working: number, maxKeys: number): string | undefined {
  if (working < maxKeys) return undefined
  const keys = maxKeys === 1 ? '1 working key' : `${maxKeys} working keys`
  return `The ${tier} tier allows ${keys}. To create another one, revoke a key first, or buy a higher tier.`
}

/** Midnight UTC after the chosen day, so that the key works on the whole day. */
export function endOfDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString()
}

/** The last day on which a key works, as `endOfDay` reads it. */
export function lastDayOf(expiresAt: string): string {
  return new Date(Date.parse(expiresAt) - 1).toISOString().slice(0, 10)
}

/** Undefined for an empty field. */
export function creditLimitOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text)
}
