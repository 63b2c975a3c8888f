import type { Generated, GeneratedAlways } from 'kysely'

interface AccountsTable {
  id: Generated<string>
  name: string
  tier: Generated<string>
  tier_since: Generated<Date>
  tier_expires_at: Date | null
  monthly_credits: Generated<string | number>
  next_grant_at: Generated<Date | string>
  months_from: GeneratedAlways<Date | null>
  balance: GeneratedAlways<string>
  created_at: Generated<Date>
}

interface ApiKeysTable {
  id: Generated<string>
  account_id: string
  /** Null for the key of the console. */
  hash: Buffer | null
  pepper_id: string | null
  is_console: Generated<boolean>
  preview: string
  label: string
  scopes: string[]
  expires_at: Date | null
  credit_limit: string | number | null
  spent_month: Generated<Date | null>
  spent: Generated<string>
  created_at: Generated<Date>
  last_used_at: Date | null
  revoked_at: Date | null
  secret_number: GeneratedAlways<number>
  former_hash: Generated<Buffer | null>
  former_pepper_id: Generated<string | null>
  former_until: GeneratedAlways<Date | null>
}

/** The view without names, for roles that may not read them. */
interface NamelessAccountsView extends Omit<AccountsTable, 'name' | 'monthly_credits'> {
  tier_now: string
  tier_ends_at: Date | null
}

/** The view without hashes. */
type HashlessKeysView = Omit<ApiKeysTable, 'hash' | 'pepper_id' | 'former_hash' | 'former_pepper_id'>

interface LedgerTable {
  id: GeneratedAlways<string>
  account_id: string
  delta: string | number
  kind: string
  idem: string
  fingerprint: string | null
  ref: string | null
  key_id: string | null
  endpoint: string | null
  request_id: string | null
  answer_hash: string | null
  read_at_ms: string | number | null
  read_up_to_slot: string | number | null
  note: string | null
  at: Generated<Date>
}

interface InvoicesTable {
  id: Generated<string>
  account_id: string
  provider: string
  external_id: string | null
  url: string | null
  idempotency_key: string | null
  pack: string
  pay_currency: string | null
  price_usd: string | number
  credits: string | number
  tier: string | null
  months: number
  state: Generated<string>
  created_at: Generated<Date>
  expires_at: Date
  paid_at: Date | null
  refunded_at: Generated<Date | null>
  next_check_at: Date | null
  failed_checks: Generated<number>
  asked_currency: Generated<string | null>
  amount_due: Generated<string | null>
  amount_received: Generated<string | null>
  pay_address: Generated<string | null>
  pay_memo: Generated<string | null>
  payment_uri: Generated<string | null>
  news: Generated<string>
}

interface PaymentEventsTable {
  id: GeneratedAlways<string>
  provider: string
  sha256: Buffer
  body: Buffer
  external_id: string | null
  order_id: string | null
  payment_id: string | null
  first_at: Generated<Date>
  last_at: Generated<Date>
  times: Generated<string>
}

interface PaymentReviewsTable {
  id: GeneratedAlways<string>
  provider: string
  subject: string
  reason: string
  detail: string | null
  at: Generated<Date>
  resolved_at: Date | null
  resolution: string | null
}

interface PaidMonthsTable {
  id: GeneratedAlways<string>
  account_id: string
  invoice_id: string
  tier: string
  left_ms: string
  credits: string
}

export interface AccountTables {
  accounts: AccountsTable
  nameless_accounts: NamelessAccountsView
  api_keys: ApiKeysTable
  hashless_keys: HashlessKeysView
  ledger: LedgerTable
  invoices: InvoicesTable
  payment_events: PaymentEventsTable
  payment_reviews: PaymentReviewsTable
  paid_months: PaidMonthsTable
}
