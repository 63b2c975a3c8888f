import { z } from 'zod'
import { TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { planOf } from './plan-of.ts'
import { signedIn } from './signed-in.ts'

const Limits = z
  .object({
    rpm: z.int().describe('requests a minute, for all keys together'),
    wsMax: z.int().describe('WebSocket connections at once'),
    historyHours: z.int().describe('how far back; 0 for no limit'),
    mcp: z.enum(['read', 'full']),
    maxKeys: z.int(),
  })
  .meta({ id: 'SubscriptionLimits' })

export const getSubscription = endpoint({
  method: 'GET',
  path: '/v1/payments/subscription',
  name: 'get_subscription',
  group: 'Account',
  summary: 'What the account has subscribed to',
  access: { by: 'session' },
  reply: z
    .object({
      provider: z.string().describe('who was paid; `none` without a plan, `operator` for one that was given'),
      plan: z.string().describe('`free` without a plan'),
      tier: z.enum(TIERS),
      creditsRemaining: z.int(),
      expiresAt: Instant.describe('when the tier ends; of one that doesn’t, when the month of its credits does'),
      limits: Limits,
    })
    .meta({ id: 'Subscription' }),
  errors: [],
  table: {
    columns: [
      'provider',
      'plan',
      'tier',
      'creditsRemaining',
      'expiresAt',
      'rpm',
      'wsMax',
      'historyHours',
      'mcp',
      'maxKeys',
    ],
    rows: ({ limits, ...subscription }) => [{ ...subscription, ...limits }],
  },

  async handle({ stores, ...request }) {
    const { accountId } = signedIn(request).user
    const { tier, limits, creditsRemaining, expiresAtMs } = await planOf(stores, accountId)
    const bought = tier === 'free' ? undefined : await stores.invoices.running(accountId)
    const { rpm, wsMax, historyHours, mcp, maxKeys } = limits
    return {
      body: {
        provider: bought?.provider ?? (tier === 'free' ? 'none' : 'operator'),
        plan: bought?.pack ?? tier,
        tier,
        creditsRemaining,
        expiresAt: instantOf(expiresAtMs),
        limits: { rpm, wsMax, historyHours, mcp, maxKeys },
      },
    }
  },
})
