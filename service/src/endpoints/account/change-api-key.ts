import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { instantOf } from '../schemas/instant.ts'
import { Moment } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { ApiKeyMembers, entryOf } from './api-key-entry.ts'
import { CreditLimit, KeyLabel, KeyParams, noSuchKey } from './key-request.ts'
import { signedIn } from './signed-in.ts'

const KeyChanges = z
  .strictObject({
    label: KeyLabel.optional(),
    expiresAt: Moment.nullable().optional().describe('when the key stops working; null: never'),
    creditLimit: CreditLimit.nullable()
      .optional()
      .describe('credits that the key may spend per calendar month; null: no limit'),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    message: 'must have at least one of label, expiresAt and creditLimit',
  })
  .meta({ id: 'ApiKeyChanges' })

export const changeApiKey = endpoint({
  method: 'PATCH',
  path: '/v1/api-keys/{key_id}',
  name: 'change_api_key',
  group: 'Account',
  summary: 'Change the label, the end or the credit limit of an API key',
  description:
    'Members that are not sent stay as they are. Scopes cannot be changed, and an expired key stays expired: create another key.',
  access: { by: 'session' },
  params: KeyParams,
  requestBody: KeyChanges,
  reply: ApiKeyMembers.meta({ id: 'ApiKey' }),
  errors: ['key_not_found'],

  async handle({ params, body, stores, nowMs, ...request }) {
    const { user, keyManager } = signedIn(request)
    const { label, expiresAt, creditLimit } = body
    if (typeof expiresAt === 'number' && expiresAt <= nowMs) {
      throw invalidParameter('expiresAt', `must be in the future, got ${instantOf(expiresAt)}`)
    }
    const stored = await keyManager.changeKey(params.key_id, {
      ...(label !== undefined && { label }),
      ...(expiresAt !== undefined && { expiresAtMs: expiresAt }),
      ...(creditLimit !== undefined && { creditLimit }),
    })
    if (stored === undefined) throw noSuchKey()
    const usage = await stores.usage.byKey(user.accountId, nowMs)
    return { body: entryOf(stored, usage.get(stored.id)) }
  },
})
