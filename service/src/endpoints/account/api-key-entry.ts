import { z } from 'zod'
import { SCOPES } from '../../domain/scope.ts'
import type { StoredKey } from '../../stores/accounts/keys.ts'
import type { KeyUsage } from '../../stores/accounts/usage.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

const Figures = z.object({ calls: z.int(), credits: z.int() }).meta({ id: 'UsageFigures' })

/** All members of a key except the key itself. */
export const ApiKeyMembers = z.object({
  id: z.string(),
  label: z.string(),
  preview: z.string().describe('start and last four characters of the key'),
  scopes: z.array(z.enum(SCOPES)).describe('what the key may be used for'),
  createdAt: Instant,
  lastUsedAt: Instant.nullable().describe('to the minute; null when it was never used'),
  expiresAt: Instant.nullable().describe('null: does not expire'),
  creditLimit: z.int().nullable().describe('credits that the key may spend per calendar month; null: no limit'),
  formerSecretUntil: Instant.nullable().describe(
    'when the secret before the last rotation stops or stopped working; null when the key was never rotated',
  ),
  usage: z.object({
    today: Figures.describe('since midnight UTC; delayed by some seconds'),
    last30Days: Figures.describe('including today'),
  }),
})
/** A key with its secret, which is shown once. */
export const NewApiKey = ApiKeyMembers.extend({ key: z.string().describe('the API key; it is not shown again') }).meta({
  id: 'NewApiKey',
})

export type ApiKeyEntry = z.infer<typeof ApiKeyMembers>

const UNUSED: KeyUsage = { today: { calls: 0, credits: 0 }, last30Days: { calls: 0, credits: 0 } }

export function entryOf(key: StoredKey, usage: KeyUsage = UNUSED): ApiKeyEntry {
  const { id, label, preview, scopes, createdAtMs, lastUsedAtMs, expiresAtMs, creditLimit, formerSecretUntilMs } = key
  return {
    id,
    label,
    preview,
    scopes: [...scopes],
    createdAt: instantOf(createdAtMs),
    lastUsedAt: lastUsedAtMs === undefined ? null : instantOf(lastUsedAtMs),
    expiresAt: expiresAtMs === undefined ? null : instantOf(expiresAtMs),
    creditLimit: creditLimit ?? null,
    formerSecretUntil: formerSecretUntilMs === undefined ? null : instantOf(formerSecretUntilMs),
    usage,
  }
}
