/** Answers of the endpoints for signed-in users, which the SDK does not call. */

export const SCOPES = ['live', 'history', 'stream', 'mcp'] as const
export type Scope = (typeof SCOPES)[number]

interface Figures {
  readonly calls: number
  readonly credits: number
}

export interface ApiKey {
  readonly id: string
  readonly label: string
  readonly preview: string
  readonly scopes: readonly Scope[]
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly creditLimit: number | null
  readonly formerSecretUntil: string | null
  readonly usage: { readonly today: Figures; readonly last30Days: Figures }
}

export interface NewApiKey extends ApiKey {
  readonly key: string
}

export interface NewKeyRequest {
  readonly label: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: string
  readonly creditLimit?: number
}

export interface KeyChanges {
  readonly label?: string
  readonly expiresAt?: string | null
  readonly creditLimit?: number | null
}

export interface Subscription {
  readonly provider: string
  readonly plan: string
  readonly tier: string
  readonly creditsRemaining: number
  readonly expiresAt: string
  readonly limits: {
    readonly rpm: number
    readonly wsMax: number
    readonly historyHours: number
    readonly mcp: 'read' | 'full'
    readonly maxKeys: number
  }
  /** Paid months that are not used yet, in their order; without times while the present tier has no end. */
  readonly waiting: readonly { readonly tier: string; readonly from: string | null; readonly until: string | null }[]
}

export interface UserTier {
  readonly tier: string
  readonly creditsRemaining: number
  readonly creditsTotal: number
  readonly expiresAt: string
  /** Streams at the same time. */
  readonly wsConnectionsMax: number
}

/** What the pages of the console may spend. */
export interface ConsoleBudget {
  readonly creditLimit: number | null
  readonly creditsThisMonth: number
  readonly requestsPerMinute: number
}

interface AccountEvent {
  readonly at: string
  readonly kind: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

export interface AccountEvents {
  readonly events: readonly AccountEvent[]
  readonly next_cursor: string | null
}

export type InvoiceState = 'creating' | 'open' | 'confirming' | 'underpaid' | 'expired' | 'failed' | 'paid' | 'refunded'

export interface Invoice {
  readonly invoiceId: string
  readonly invoiceUrl: string | null
  readonly pack: string
  readonly priceUsd: number
  readonly status: InvoiceState
  readonly createdAt: string
  readonly expiresAt: string
  readonly paidAt: string | null
  readonly payCurrency: string | null
  readonly amountDue: string | null
  readonly amountReceived: string | null
  readonly address: string | null
  readonly addressMemo: string | null
  readonly paymentUri: string | null
  readonly refundedAt: string | null
}

export interface InvoiceList {
  readonly invoices: readonly Invoice[]
  readonly next_cursor: string | null
}
