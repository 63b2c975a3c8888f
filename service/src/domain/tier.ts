import { ApiError } from './api-error.ts'
import { CATEGORIES, type Category } from './market.ts'

export const TIERS = ['free', 'pro', 'scale', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

export interface TierLimits {
  /** Requests a minute, per account; as many may come at once. */
  readonly rpm: number
  /** WebSocket connections at the same time, per account. */
  readonly wsMax: number
  /** How far back; 0 for no limit. */
  readonly historyHours: number
  readonly mcp: 'read' | 'full'
  readonly maxKeys: number
  readonly creditsPerMonth: number
  readonly categories: readonly Category[]
}

/** As the catalogue of packs shows them. */
export const TIER_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  free: {
    rpm: 60,
    wsMax: 0,
    historyHours: 24,
    mcp: 'read',
    maxKeys: 1,
    creditsPerMonth: 5_000,
    categories: ['crypto'],
  },
  pro: {
    rpm: 300,
    wsMax: 1,
    historyHours: 0,
    mcp: 'full',
    maxKeys: 5,
    creditsPerMonth: 50_000,
    categories: CATEGORIES,
  },
  scale: {
    rpm: 1_000,
    wsMax: 5,
    historyHours: 0,
    mcp: 'full',
    maxKeys: 10,
    creditsPerMonth: 500_000,
    categories: CATEGORIES,
  },
  enterprise: {
    rpm: 3_000,
    wsMax: 10,
    historyHours: 0,
    mcp: 'full',
    maxKeys: 20,
    creditsPerMonth: 5_000_000,
    categories: CATEGORIES,
  },
}

/** Markets times channels on one WebSocket connection. */
export const STREAM_SUBSCRIPTIONS: Readonly<Record<Tier, number>> = {
  free: 0,
  pro: 500,
  scale: 2_000,
  enterprise: 10_000,
}

const GATED = {
  live_exchange_book: ['scale', 'enterprise'],
  /** csv, tsv, parquet. */
  tabular_formats: ['scale', 'enterprise'],
} as const satisfies Record<string, readonly Tier[]>

export type Capability =
  | keyof typeof GATED
  | 'mcp_full'
  | 'websocket'
  | { readonly category: Category }
  /** How long ago the oldest moment is that is asked for. */
  | { readonly historyAgeMs: number }

const HOUR_MS = 3_600_000

/** The one place that says what a tier includes, for REST, WebSocket and MCP alike. */
export function mayUse(tier: Tier, capability: Capability): boolean {
  const limits = TIER_LIMITS[tier]
  if (typeof capability === 'object') {
    if ('category' in capability) return limits.categories.includes(capability.category)
    return limits.historyHours === 0 || capability.historyAgeMs <= limits.historyHours * HOUR_MS
  }
  switch (capability) {
    case 'mcp_full':
      return limits.mcp === 'full'
    case 'websocket':
      return limits.wsMax > 0
    default:
      return (GATED[capability] as readonly Tier[]).includes(tier)
  }
}

/** Throws `tier_not_allowed`; with status 402 on the snapshots list. */
export function requireUse(tier: Tier, capability: Capability, options: { readonly status?: 402 | 403 } = {}): void {
  if (mayUse(tier, capability)) return
  const allowedTiers = TIERS.filter((each) => mayUse(each, capability))
  throw new ApiError('tier_not_allowed', `The ${tier} tier does not include ${nameOf(capability)}`, {
    ...options,
    details: { tier, allowed_tiers: allowedTiers },
  })
}

function nameOf(capability: Capability): string {
  if (typeof capability === 'object') {
    return 'category' in capability ? `the category ${capability.category}` : 'history that far back'
  }
  const names = {
    live_exchange_book: 'live exchange books',
    tabular_formats: 'tabular formats',
    mcp_full: 'all MCP tools',
    websocket: 'WebSocket connections',
  } as const
  return names[capability]
}

export function isTier(text: string): text is Tier {
  return (TIERS as readonly string[]).includes(text)
}
