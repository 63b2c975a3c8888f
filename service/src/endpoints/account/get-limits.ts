import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { mayUse, TIER_LIMITS, TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'

const FLAT_FORMATS = ['csv', 'tsv', 'parquet']

const Limits = z
  .object({
    tier: z.enum(TIERS),
    label: z.string().describe('of the calling key'),
    rateLimitRpm: z.int().describe('requests a minute, for all keys of the account together'),
    rateUsed: z.int().describe('this request counted'),
    rateRemaining: z.int().describe('how many more are allowed right now'),
    rateResetSeconds: z.int().describe('until the whole rate is free again'),
    creditsRemaining: z.int().describe('of the account'),
    creditsPerMonth: z.int(),
    keyCreditsRemaining: z
      .int()
      .nullable()
      .describe('what this key may still spend this month; null without a limit of its own'),
    historyHours: z.int().describe('how far back; 0 for no limit'),
    formats: z.array(z.string()),
    categories: z.array(z.string()),
    liveExchangeBook: z.boolean(),
    maxKeys: z.int(),
    wsMax: z.int().describe('WebSocket connections at once'),
    mcp: z.enum(['read', 'full']),
  })
  .meta({ id: 'KeyLimits' })

export const getLimits = endpoint({
  method: 'GET',
  path: '/v1/limits',
  name: 'get_limits',
  group: 'Account',
  summary: 'What this key may do, and how much of it is left',
  description: 'Costs no credits; it counts as one request of the minute, like every other.',
  access: { by: 'key' },
  reply: Limits,
  errors: [],

  async handle({ caller, callerContext }) {
    if (caller === undefined || callerContext === undefined)
      throw new ApiError('unauthenticated', 'A valid API key is needed')
    const { tier, label } = caller
    const { rpm, creditsPerMonth, historyHours, categories, maxKeys, wsMax, mcp } = TIER_LIMITS[tier]
    const { balance, keyLeft } = await callerContext.spendable()
    const { limit, remaining, resetSeconds } = callerContext.rate
    return {
      body: {
        tier,
        label,
        rateLimitRpm: rpm,
        rateUsed: limit - remaining,
        rateRemaining: remaining,
        rateResetSeconds: resetSeconds,
        creditsRemaining: balance,
        creditsPerMonth,
        keyCreditsRemaining: keyLeft ?? null,
        historyHours,
        formats: ['json', ...(mayUse(tier, 'tabular_formats') ? FLAT_FORMATS : [])],
        categories: [...categories],
        liveExchangeBook: mayUse(tier, 'live_exchange_book'),
        maxKeys,
        wsMax,
        mcp,
      },
    }
  },
})
