/** Answers of the endpoints for operators. Null: the service could not tell. */

interface Shards {
  readonly venue: string
  readonly held: number
  readonly standby: number
}

export interface Board {
  readonly as_of: string
  readonly processes: readonly {
    readonly process: string
    readonly roles: readonly string[]
    readonly started_at: string
  }[]
  readonly shards: readonly Shards[]
  readonly recorders: readonly {
    readonly process: string
    readonly shards: readonly Shards[]
    readonly markets_followed: number
    readonly markets_proved: number
    readonly queued_bytes: number
  }[]
  readonly rates: {
    readonly sampled_rows: number | null
    readonly stored_rows: number | null
    readonly newest_rows: number | null
  }
  readonly plans:
    | readonly {
        readonly plan: string
        readonly active_markets: number
        readonly recorded_now: number
        readonly rows_per_second: number
        readonly expected_rows_per_second: number
      }[]
    | null
  readonly lag: {
    readonly newest_row_ms: number | null
    readonly queued_bytes: number | null
    readonly unstored_messages: number | null
    readonly waiting_updates: number | null
  }
  readonly open_gaps: readonly { readonly cause: string; readonly markets: number; readonly since: string }[] | null
  readonly dead_letters: { readonly count: number; readonly oldest_at: string | null } | null
  readonly errors: {
    readonly since: string | null
    readonly counters: readonly { readonly name: string; readonly of: string; readonly grown_by: number }[]
  }
  readonly notices: readonly { readonly code: string; readonly venue: string; readonly message: string }[]
}

export interface Review {
  readonly id: number
  readonly at: string
  readonly provider: string
  readonly subject: string
  readonly reason: string
  readonly detail: string | null
  readonly invoice: {
    readonly id: string
    readonly account_id: string
    readonly pack: string
    readonly status: string
    readonly price_usd: number
    readonly created_at: string
    readonly currency: string | null
    readonly amount_due: string | null
    readonly amount_received: string | null
  } | null
  readonly reported: readonly {
    readonly state: string | null
    readonly payment_id: string | null
    readonly first_at: string
    readonly last_at: string
    readonly times: number
    readonly body: string
  }[]
}

export interface ReviewList {
  readonly reviews: readonly Review[]
  readonly has_more: boolean
}

interface FoundAccount {
  readonly id: string
  readonly name: string
  readonly emails: readonly string[]
  readonly tier: string
  readonly balance: number
  readonly created_at: string
}

export interface FoundAccounts {
  readonly accounts: readonly FoundAccount[]
}

export interface OperatedAccount extends FoundAccount {
  readonly tier_ends_at: string | null
  readonly keys: readonly {
    readonly label: string
    readonly preview: string
    readonly created_at: string
    readonly last_used_at: string | null
    readonly revoked_at: string | null
  }[]
  readonly events: readonly {
    readonly at: string
    readonly kind: string
    readonly subject: string
    readonly detail: Readonly<Record<string, unknown>>
  }[]
}
