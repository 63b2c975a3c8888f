import { ApiError } from './api-error.ts'
import { HOUR_MS } from './finished-hour.ts'
import { CATEGORIES, type Category } from './market.ts'

/** The limits of a tier, as `/v1/packs` publishes them. */
export interface TierLimits {
  /** Requests per minute and account, also the largest burst. */
  readonly rpm: number
  /** WebSocket connections at the same time, per account. */
  readonly wsMax: number
  /** Hours of history that can be read; 0 for no limit. */
  readonly historyHours: number
  readonly mcp: 'read' | 'full'
  readonly maxKeys: number
  readonly creditsPerMonth: number
  readonly categories: readonly Category[]
}

/** `tabular_formats`: csv, tsv, parquet. */
type Extra = 'live_exchange_book' | 'tabular_formats'

interface TierEntry {
  readonly limits: TierLimits
  /** Markets times channels on one WebSocket connection. */
  readonly streamSubscriptions: number
  /** Requests per minute of the pages of the console, beside those of the API keys. */
  readonly consoleRpm: number
  readonly extras: readonly Extra[]
}

const ALL_EXTRAS: readonly Extra[] = ['live_exchange_book', 'tabular_formats']

/** Every tier, the lowest first. All other lists of tiers, also in PostgreSQL, are derived from this table. */
const TIER_TABLE = {
  free: {
    limits: {
      rpm: 60,
      wsMax: 0,
      historyHours: 24,
      mcp: 'read',
      maxKeys: 1,
      creditsPerMonth: 5_000,
      categories: ['crypto'],
    },
    streamSubscriptions: 0,
    consoleRpm: 60,
    extras: [],
  },
  pro: {
    limits: {
      rpm: 300,
      wsMax: 1,
      historyHours: 0,
      mcp: 'full',
      maxKeys: 5,
      creditsPerMonth: 50_000,
      categories: CATEGORIES,
    },
    streamSubscriptions: 500,
    consoleRpm: 300,
    extras: [],
  },
  scale: {
    limits: {
      rpm: 1_000,
      wsMax: 5,
      historyHours: 0,
      mcp: 'full',
      maxKeys: 10,
      creditsPerMonth: 500_000,
      categories: CATEGORIES,
    },
    streamSubscriptions: 2_000,
    consoleRpm: 300,
    extras: ALL_EXTRAS,
  },
  enterprise: {
    limits: {
      rpm: 3_000,
      wsMax: 10,
      historyHours: 0,
      mcp: 'full',
      maxKeys: 20,
      creditsPerMonth: 5_000_000,
      categories: CATEGORIES,
    },
    streamSubscriptions: 10_000,
    consoleRpm: 300,
    extras: ALL_EXTRAS,
  },
} as const satisfies Record<string, TierEntry>

export type Tier = keyof typeof TIER_TABLE
export const TIERS = Object.keys(TIER_TABLE) as readonly Tier[]
export const TIER_LIMITS = columnOf('limits')
export const STREAM_SUBSCRIPTIONS = columnOf('streamSubscriptions')
export const CONSOLE_RPM = columnOf('consoleRpm')

function columnOf<Name extends keyof TierEntry>(name: Name): Readonly<Record<Tier, TierEntry[Name]>> {
  const table: Readonly<Record<Tier, TierEntry>> = TIER_TABLE
  return Object.fromEntries(TIERS.map((tier) => [tier, table[tier][name]])) as Record<Tier, TierEntry[Name]>
}

export type Capability =
  | Extra
  | 'mcp_full'
  | 'websocket'
  /** Empty for a market of unknown category, which only tiers with all categories include. */
  | { readonly category: Category | '' }
  /** Age of the oldest requested time. */
  | { readonly historyAgeMs: number }

/** Whether a tier includes something, for REST, WebSocket and MCP alike. */
export function mayUse(tier: Tier, capability: Capability): boolean {
  const { limits, extras }: TierEntry = TIER_TABLE[tier]
  if (typeof capability === 'object') {
    if ('category' in capability) {
      const { category } = capability
      return (category === '' ? CATEGORIES : [category]).every((each) => limits.categories.includes(each))
    }
    return limits.historyHours === 0 || capability.historyAgeMs <= limits.historyHours * HOUR_MS
  }
  switch (capability) {
    case 'mcp_full':
      return limits.mcp === 'full'
    case 'websocket':
      return limits.wsMax > 0
    default:
      return extras.includes(capability)
  }
}

/** Throws `tier_not_allowed`; with status 402 on the snapshots list. */
export function requireUse(tier: Tier, capability: Capability, options: { readonly status?: 402 | 403 } = {}): void {
  if (mayUse(tier, capability)) return
  const allowedTiers = TIERS.filter((each) => mayUse(each, capability))
  const message = `The ${tier} tier does not include ${nameOf(tier, capability)}. It needs ${allowedTiers.join(' or ')}.`
  throw new ApiError('tier_not_allowed', message, { ...options, details: { tier, allowed_tiers: allowedTiers } })
}

function nameOf(tier: Tier, capability: Capability): string {
  if (typeof capability === 'object') {
    if ('category' in capability) {
      return capability.category === '' ? 'markets of unknown category' : `the category ${capability.category}`
    }
    return `history older than ${TIER_LIMITS[tier].historyHours} hours`
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
