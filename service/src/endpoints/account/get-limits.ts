import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { BOOKS_PER_CREDIT, FREE_BOOKS_PER_DAY } from '../../domain/prices.ts'
import { mayUse, TIER_LIMITS, TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'

const TABULAR_FORMATS = ['csv', 'tsv', 'parquet']

const Limits = z
  .object({
    tier: z.enum(TIERS),
    label: z.string().describe('label of the key'),
    rpm: z.int().describe('requests per minute of all keys of the account together'),
    rateUsed: z.int().describe('including this request'),
    rateRemaining: z.int().describe('requests that are allowed right now'),
    rateResetSeconds: z.int().describe('seconds until the full rate is available again'),
    creditsRemaining: z.int().describe('credit balance of the account'),
    creditsPerMonth: z.int(),
    keyCreditsRemaining: z
      .int()
      .nullable()
      .describe('credits that this key may still spend this month; null: no limit'),
    historyHours: z.int().describe('hours of history that can be read; 0: no limit'),
    formats: z.array(z.string()),
    categories: z.array(z.string()),
    liveExchangeBook: z.boolean(),
    maxKeys: z.int(),
    wsMax: z.int().describe('concurrent WebSocket connections'),
    mcp: z.enum(['read', 'full']),
    freeBooksPerDay: z.int().describe('exact books that an account gets free of charge each UTC day'),
    freeBooksLeft: z.int().nullable().describe('of today; null while they are not counted, when all are free'),
    booksPerCredit: z.int().describe('further exact books of an answer for 1 credit'),
  })
  .meta({ id: 'KeyLimits' })

export const getLimits = endpoint({
  method: 'GET',
  path: '/v1/limits',
  name: 'get_limits',
  group: 'Account',
  summary: 'Get the limits of the key and what is left of them',
  description: 'Costs no credits, but counts towards the rate limit.',
  access: { by: 'key' },
  reply: Limits,
  errors: [],

  async handle({ caller, callerContext }) {
    if (caller === undefined || callerContext === undefined)
      throw new ApiError('unauthenticated', 'A valid API key is needed')
    const { tier, label } = caller
    const { creditsPerMonth, historyHours, categories, maxKeys, wsMax, mcp } = TIER_LIMITS[tier]
    const { balance, keyLeft } = await callerContext.spendable()
    const { limit, remaining, resetSeconds } = callerContext.rate
    return {
      body: {
        tier,
        label,
        rpm: limit,
        rateUsed: limit - remaining,
        rateRemaining: remaining,
        rateResetSeconds: resetSeconds,
        creditsRemaining: balance,
        creditsPerMonth,
        keyCreditsRemaining: keyLeft ?? null,
        historyHours,
        formats: ['json', ...(mayUse(tier, 'tabular_formats') ? TABULAR_FORMATS : [])],
        categories: [...categories],
        liveExchangeBook: mayUse(tier, 'live_exchange_book'),
        maxKeys,
        wsMax,
        mcp,
        freeBooksPerDay: FREE_BOOKS_PER_DAY,
        freeBooksLeft: callerContext.freeBooksLeft ?? null,
        booksPerCredit: BOOKS_PER_CREDIT,
      },
    }
  },
})
