import { z } from 'zod'
import { TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { planOf } from './plan-of.ts'
import { signedIn } from './signed-in.ts'

export const getUserTier = endpoint({
  method: 'GET',
  path: '/v1/user/tier',
  name: 'get_user_tier',
  group: 'Account',
  summary: 'Get the tier of the account with its limits and credits',
  access: { by: 'session' },
  reply: z
    .object({
      tier: z.enum(TIERS),
      creditsRemaining: z.int().describe('credits that can be spent now'),
      creditsTotal: z.int().describe('remaining credits plus those spent in this calendar month (UTC)'),
      rateLimitRpm: z.int().describe('requests per minute of all keys together'),
      wsConnectionsMax: z.int().describe('concurrent WebSocket connections'),
      historyDepthHours: z.int().describe('hours of history that can be read; 0: no limit'),
      mcpAccess: z.enum(['read', 'full']),
      expiresAt: Instant.describe('end of the tier; for a tier without an end, the time of the next monthly credits'),
    })
    .meta({ id: 'UserTier' }),
  errors: [],

  async handle({ stores, ...request }) {
    const { accountId } = signedIn(request).user
    const { tier, limits, creditsRemaining, expiresAtMs } = await planOf(stores, accountId)
    return {
      body: {
        tier,
        creditsRemaining,
        creditsTotal: creditsRemaining + (await stores.ledger.spentThisMonth(accountId)),
        rateLimitRpm: limits.rpm,
        wsConnectionsMax: limits.wsMax,
        historyDepthHours: limits.historyHours,
        mcpAccess: limits.mcp,
        expiresAt: instantOf(expiresAtMs),
      },
    }
  },
})
