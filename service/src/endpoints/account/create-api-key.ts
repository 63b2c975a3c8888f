import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { SCOPES } from '../../domain/scope.ts'
import { endpoint } from '../endpoint.ts'
import { Moment } from '../schemas/parameters.ts'
import { ApiKeyMembers, entryOf } from './api-key-entry.ts'
import { signedIn } from './signed-in.ts'

const LONGEST_LABEL = 64
const MOST_CREDITS = 1_000_000_000_000

const KeyRequest = z
  .strictObject({
    label: z
      .string()
      .trim()
      .min(1)
      .max(LONGEST_LABEL)
      .regex(/^\P{Cc}*$/u, 'control characters are not allowed')
      .describe('for you, to tell keys apart'),
    expires_at: Moment.optional().describe('when it stops working; never, if not given'),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .refine((scopes) => new Set(scopes).size === scopes.length, 'each may be given once')
      .optional()
      .describe('what it may be used for; everything, if not given'),
    credit_limit: z
      .int()
      .min(0)
      .max(MOST_CREDITS)
      .optional()
      .describe('credits it may spend in a calendar month; no limit of its own, if not given'),
  })
  .meta({ id: 'ApiKeyRequest' })

export const createApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys',
  name: 'create_api_key',
  group: 'Account',
  summary: 'Make an API key',
  description: 'The key is in this answer and nowhere else, ever: what is kept of it can’t be turned back into it.',
  access: { by: 'session' },
  requestBody: KeyRequest,
  reply: ApiKeyMembers.extend({ key: z.string().describe('shown this once') }).meta({ id: 'NewApiKey' }),
  status: 201,
  errors: ['key_limit_reached'],

  async handle({ body, nowMs, ...request }) {
    const { label, scopes, expires_at: expiresAtMs, credit_limit: creditLimit } = body
    if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
      const problems = [{ parameter: 'expires_at', problem: 'expected a time in the future' }]
      throw new ApiError('invalid_request', 'expires_at: expected a time in the future', { details: { problems } })
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
