import { z } from 'zod'
import { PACKS } from '../../domain/packs.ts'
import { BOOKS_PER_CREDIT, FREE_BOOKS_PER_DAY } from '../../domain/prices.ts'
import { TIER_LIMITS, TIERS } from '../../domain/tier.ts'
import { endpoint } from '../endpoint.ts'

const Pack = z
  .object({
    id: z.string(),
    tier: z.enum(TIERS).nullable().describe('null: credits only'),
    priceUsd: z.number(),
    credits: z.int().describe('granted once, or every month with a tier'),
    months: z.int().describe('duration of the tier; 0 without one'),
  })
  .meta({ id: 'Pack' })

/** The same for every tier. */
const METER = { freeBooksPerDay: FREE_BOOKS_PER_DAY, booksPerCredit: BOOKS_PER_CREDIT }

const Limits = z
  .object({
    rpm: z.int().describe('requests per minute'),
    wsMax: z.int().describe('concurrent WebSocket connections'),
    historyHours: z.int().describe('hours of history that can be read; 0: no limit'),
    mcp: z.enum(['read', 'full']),
    maxKeys: z.int(),
    creditsPerMonth: z.int(),
    categories: z.array(z.string()),
    freeBooksPerDay: z.int().describe('exact books that an account gets free of charge each UTC day'),
    booksPerCredit: z.int().describe('further exact books of an answer for 1 credit'),
  })
  .meta({ id: 'TierLimits' })

export const listPacks = endpoint({
  method: 'GET',
  path: '/v1/payments/packs',
  name: 'list_packs',
  group: 'Public',
  summary: 'List the packs that can be bought and the limits of each tier',
  access: 'public',
  reply: z.object({
    packs: z.array(Pack),
    tiers: z.object({ free: Limits, pro: Limits, scale: Limits, enterprise: Limits }),
  }),
  errors: [],
  table: { columns: Object.keys(Pack.shape), rows: ({ packs }) => packs, inRows: ['packs'] },

  async handle() {
    const tiers = Object.fromEntries(TIERS.map((tier) => [tier, { ...TIER_LIMITS[tier], ...METER }]))
    return { body: { packs: [...PACKS], tiers: tiers as never }, maxAgeSeconds: 300 }
  },
})
