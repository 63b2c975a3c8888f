import { z } from 'zod'
import { TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { planOf } from './plan-of.ts'
import { signedIn } from './signed-in.ts'

const Limits = z
  .object({
    rpm: z.int().describe('requests per minute of all keys together'),
    wsMax: z.int().describe('concurrent WebSocket connections'),
    historyHours: z.int().describe('hours of history that can be read; 0: no limit'),
    mcp: z.enum(['read', 'full']),
    maxKeys: z.int(),
  })
  .meta({ id: 'SubscriptionLimits' })

const WaitingTier = z
  .object({
    tier: z.enum(TIERS),
    from: Instant.nullable().describe('null while the current tier has no end'),
    until: Instant.nullable().describe('null while the current tier has no end'),
  })
  .meta({ id: 'WaitingTier' })

export const getSubscription = endpoint({
  method: 'GET',
  path: '/v1/payments/subscription',
  name: 'get_subscription',
  group: 'Account',
  summary: 'Get the subscription of the account',
  access: { by: 'session' },
  reply: z
    .object({
      provider: z
        .string()
        .describe('payment processor of the plan; `none` without a plan, `operator` for a plan that the operator set'),
      plan: z.string().describe('`free` without a plan'),
      tier: z.enum(TIERS),
      creditsRemaining: z.int(),
      expiresAt: Instant.describe('end of the tier; for a tier without an end, the time of the next monthly credits'),
      limits: Limits,
      waiting: z
        .array(WaitingTier)
        .describe('paid months that are not used yet, in the order in which they follow the current tier'),
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
    rows: ({ limits, waiting: _waiting, ...subscription }) => [{ ...subscription, ...limits }],
    inRows: ['provider', 'plan', 'tier', 'creditsRemaining', 'expiresAt', 'limits'],
  },

  async handle({ stores, ...request }) {
    const { accountId } = signedIn(request).user
    const { tier, limits, creditsRemaining, expiresAtMs } = await planOf(stores, accountId)
    const bought = tier === 'free' ? undefined : await stores.invoices.running(accountId)
    const waiting = await stores.invoices.waiting(accountId)
    const { rpm, wsMax, historyHours, mcp, maxKeys } = limits
    return {
      body: {
        provider: bought?.provider ?? (tier === 'free' ? 'none' : 'operator'),
        plan: bought?.pack ?? tier,
        tier,
        creditsRemaining,
        expiresAt: instantOf(expiresAtMs),
        limits: { rpm, wsMax, historyHours, mcp, maxKeys },
        waiting: waiting.map(({ tier: each, fromMs, untilMs }) => ({
          tier: each,
          from: fromMs === undefined ? null : instantOf(fromMs),
          until: untilMs === undefined ? null : instantOf(untilMs),
        })),
      },
    }
  },
})
