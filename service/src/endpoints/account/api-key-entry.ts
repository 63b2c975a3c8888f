import { z } from 'zod'
import { SCOPES } from '../../domain/scope.ts'
import type { StoredKey } from '../../stores/accounts/keys.ts'
import type { KeyUsage } from '../../stores/accounts/usage.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

const Figures = z.object({ calls: z.int(), credits: z.int() }).meta({ id: 'UsageFigures' })

/** Everything about a key but the key. */
export const ApiKeyMembers = z.object({
  id: z.string(),
  label: z.string(),
  preview: z.string().describe('how it begins, and its last four characters'),
  scopes: z.array(z.enum(SCOPES)).describe('what it may be used for'),
  createdAt: Instant,
  lastUsedAt: Instant.nullable().describe('to the minute; null when it never was'),
  expiresAt: Instant.nullable().describe('null: never'),
  creditLimit: z.int().nullable().describe('credits it may spend in a calendar month; null for no limit of its own'),
  usage: z.object({
    today: Figures.describe('since midnight UTC, some seconds late'),
    last30Days: Figures.describe('today is one of them'),
  }),
})
export type ApiKeyEntry = z.infer<typeof ApiKeyMembers>

const UNUSED: KeyUsage = { today: { calls: 0, credits: 0 }, last30Days: { calls: 0, credits: 0 } }

export function entryOf(key: StoredKey, usage: KeyUsage = UNUSED): ApiKeyEntry {
  const { id, label, preview, scopes, createdAtMs, lastUsedAtMs, expiresAtMs, creditLimit } = key
  return {
    id,
    label,
    preview,
    scopes: [...scopes],
    createdAt: instantOf(createdAtMs),
    lastUsedAt: lastUsedAtMs === undefined ? null : instantOf(lastUsedAtMs),
    expiresAt: expiresAtMs === undefined ? null : instantOf(expiresAtMs),
    creditLimit: creditLimit ?? null,
    usage,
  }
}
