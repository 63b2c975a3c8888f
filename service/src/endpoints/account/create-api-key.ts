import { z } from 'zod'
import { SCOPES } from '../../domain/scope.ts'
import { endpoint } from '../endpoint.ts'
import { instantOf } from '../schemas/instant.ts'
import { Moment } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { entryOf, NewApiKey } from './api-key-entry.ts'
import { CreditLimit, KeyLabel } from './key-request.ts'
import { signedIn } from './signed-in.ts'

const KeyRequest = z
  .strictObject({
    label: KeyLabel,
    expiresAt: Moment.optional().describe('when the key stops working; default: never'),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .refine((scopes) => new Set(scopes).size === scopes.length, 'must not contain a scope twice')
      .optional()
      .describe('what the key may be used for; default: all scopes'),
    creditLimit: CreditLimit.optional().describe(
      'credits that the key may spend per calendar month; default: no limit',
    ),
    expires_at: Moment.optional().describe('old name of `expiresAt`').meta({ deprecated: true }),
    credit_limit: CreditLimit.optional().describe('old name of `creditLimit`').meta({ deprecated: true }),
  })
  .meta({ id: 'ApiKeyRequest' })
type KeyRequest = z.output<typeof KeyRequest>

export const createApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys',
  name: 'create_api_key',
  group: 'Account',
  summary: 'Create an API key',
  description: 'The key is shown only in this answer, because the service stores only its hash.',
  access: { by: 'session' },
  requestBody: KeyRequest,
  reply: NewApiKey,
  status: 201,
  errors: ['key_limit_reached'],

  async handle({ body, nowMs, ...request }) {
    const { label, scopes } = body
    const expiresAtMs = oneOf(body, 'expiresAt', 'expires_at')
    const creditLimit = oneOf(body, 'creditLimit', 'credit_limit')
    if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
      throw invalidParameter('expiresAt', `must be in the future, got ${instantOf(expiresAtMs)}`)
    }
    const { key, stored } = await signedIn(request).keyManager.makeKey({
      label,
      ...(scopes !== undefined && { scopes }),
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      ...(creditLimit !== undefined && { creditLimit }),
    })
    return { body: { ...entryOf(stored), key } }
  },
})

/** A member by its name or its old name. */
function oneOf<Name extends 'expiresAt' | 'creditLimit'>(
  body: KeyRequest,
  name: Name,
  oldName: 'expires_at' | 'credit_limit',
): number | undefined {
  if (body[name] !== undefined && body[oldName] !== undefined) {
    throw invalidParameter(oldName, `is the old name of ${name}; send only ${name}`)
  }
  return body[name] ?? body[oldName]
}
