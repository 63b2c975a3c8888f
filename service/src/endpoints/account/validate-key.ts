import { z } from 'zod'
import { Fault } from '../../domain/api-error.ts'
import { TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'

export const validateKey = endpoint({
  method: 'GET',
  path: '/v1/api-keys/validate',
  name: 'validate_key',
  group: 'Account',
  summary: 'Whether the calling key is good, its tier and the credits that are left',
  access: { by: 'key' },
  reply: z
    .object({
      valid: z.boolean().describe('always true: a key that is not is answered with 401'),
      active: z.boolean(),
      label: z.string(),
      tier: z.enum(TIERS),
      creditsRemaining: z.int().describe('of the account'),
    })
    .meta({ id: 'KeyValidity' }),
  faults: [],

  async handle({ asker, means }) {
    if (asker === undefined || means === undefined) throw new Fault('unauthenticated', 'A valid API key is needed')
    const { balance } = await means.spendable()
    return { body: { valid: true, active: true, label: asker.label, tier: asker.tier, creditsRemaining: balance } }
  },
})
