import type { Generated, GeneratedAlways } from 'kysely'

interface AccountsTable {
  id: Generated<string>
  name: string
  tier: Generated<string>
  tier_since: Generated<Date>
  tier_expires_at: Date | null
  monthly_credits: Generated<string | number>
  next_grant_at: Generated<Date | string>
  balance: GeneratedAlways<string>
  created_at: Generated<Date>
}

interface ApiKeysTable {
  id: Generated<string>
  account_id: string
  hash: Buffer
  pepper_id: string
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
}

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
  note: string | null
  at: Generated<Date>
}

export interface AccountTables {
  accounts: AccountsTable
  api_keys: ApiKeysTable
  ledger: LedgerTable
}
