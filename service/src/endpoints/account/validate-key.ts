import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'

export const validateKey = endpoint({
  method: 'GET',
  path: '/v1/api-keys/validate',
  name: 'validate_key',
  group: 'Account',
  summary: 'Check the key of the request and get its tier and credits',
  access: { by: 'key' },
  reply: z
    .object({
      valid: z.boolean().describe('always true; an invalid key gets 401'),
      active: z.boolean(),
      label: z.string(),
      tier: z.enum(TIERS),
      creditsRemaining: z.int().describe('credit balance of the account'),
    })
    .meta({ id: 'KeyValidity' }),
  errors: [],

  async handle({ caller, callerContext }) {
    if (caller === undefined || callerContext === undefined)
      throw new ApiError('unauthenticated', 'A valid API key is needed')
    const { balance } = await callerContext.spendable()
    return { body: { valid: true, active: true, label: caller.label, tier: caller.tier, creditsRemaining: balance } }
  },
})
