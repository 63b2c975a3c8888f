interface ErrorKind {
  readonly status: number
  /** For the documentation: what happened, and what the caller can do. */
  readonly meaning: string
  /** Where the interface declares another status for the same code. */
  readonly otherStatus?: number
}

/** Every way to say no. The code is part of the interface and never changes; messages may. */
export const API_ERRORS = {
  invalid_request: {
    status: 400,
    meaning: 'A parameter is unknown, repeated, missing or out of range; `details` names it and what is allowed.',
  },
  sign_in_failed: {
    status: 400,
    meaning:
      'What came back from the identity provider does not belong to a sign-in that this browser began, or was used already. Begin again.',
  },
  unauthenticated: {
    status: 401,
    meaning: 'There is no valid API key or session. Unknown, revoked and expired keys are answered alike.',
  },
  signature_refused: {
    status: 401,
    meaning: 'The callback is not signed with a secret of ours. Nothing of it was kept.',
  },
  out_of_credits: {
    status: 402,
    meaning: 'The account, or the monthly limit of this key, has fewer credits left than the request costs.',
  },
  tier_not_allowed: {
    status: 403,
    otherStatus: 402,
    meaning:
      'The tier of the account does not include this; `details` names the tiers that do. 402 on the snapshots list.',
  },
  scope_not_allowed: { status: 403, meaning: 'The key was made for other uses; `details` names the scope it lacks.' },
  key_limit_reached: { status: 403, meaning: 'The tier allows no further API key. Revoke one first.' },
  cross_site_refused: {
    status: 403,
    meaning:
      'What changes an account must come from our own pages: an `Origin` of ours and `X-Requested-With: bookreel`.',
  },
  host_not_allowed: {
    status: 403,
    meaning:
      'MCP was asked for under a `Host`, or from a page with an `Origin`, that is not ours. The operator names further ones in `MCP_ALLOWED_HOSTS`.',
  },
  https_required: { status: 403, meaning: 'The key was sent over plain HTTP. Use HTTPS, and consider the key leaked.' },
  market_not_found: { status: 404, meaning: 'No market has this id.' },
  slug_not_found: { status: 404, meaning: 'No market clearly matches this slug; `details` lists candidates.' },
  no_recent_data: {
    status: 404,
    meaning: 'The market is known, but there is no trusted book of the last 60 seconds. Try again soon.',
  },
  no_data_at_time: {
    status: 404,
    meaning:
      'The market is known, but there is no trusted book at that moment; `details` says whether that is a gap, and why.',
  },
  no_snapshot: {
    status: 404,
    meaning:
      'The market is known, but has no snapshot within a minute of that moment; `details` tells when it was recorded and which gap is near.',
  },
  market_closed: { status: 404, meaning: 'The market has ended and has no live book; its history is still served.' },
  key_not_found: { status: 404, meaning: 'The account has no working API key with this id.' },
  invoice_not_found: { status: 404, meaning: 'The account has no invoice with this id.' },
  not_found: { status: 404, meaning: 'Nothing is served at this address.' },
  method_not_allowed: { status: 405, meaning: 'The address is served, but not with this method; see `Allow`.' },
  not_acceptable: { status: 406, meaning: 'The answer exists in none of the forms that were asked for.' },
  idempotency_mismatch: {
    status: 409,
    meaning: 'The `Idempotency-Key` was already used for a different request. Use a new one for each request.',
  },
  idempotency_spent: {
    status: 409,
    meaning:
      'The `Idempotency-Key` was repeated more than 5 times or after 24 hours. Nothing was charged; use a new one.',
  },
  hour_not_finished: {
    status: 409,
    meaning: 'The hour is not over, or its last rows have not settled yet. `Retry-After` says when to ask again.',
  },
  invoice_limit_reached: {
    status: 409,
    meaning: 'Too many invoices of the account wait for money. Pay one, or wait until one expires.',
  },
  plan_arranged: {
    status: 409,
    meaning: 'The tier of the account was arranged by hand, so only credits can be bought. Ask us to change it.',
  },
  payload_too_large: { status: 413, meaning: 'The body is larger than this endpoint takes.' },
  unsupported_media_type: { status: 415, meaning: 'The body is not in a form that this endpoint reads.' },
  range_not_satisfiable: { status: 416, meaning: 'The file ends before the bytes that `Range` asks for.' },
  rate_limited: { status: 429, meaning: 'Too many requests for the tier; `Retry-After` says when the next one fits.' },
  internal: { status: 500, meaning: 'A defect of ours. Nothing was charged; tell us the request id.' },
  store_unavailable: {
    status: 503,
    meaning: 'A store needed for this answer is away for a moment. Nothing was delivered; try again.',
  },
  sign_in_not_configured: {
    status: 501,
    meaning: 'This service has no identity provider, so nobody can sign in. Its operator makes keys.',
  },
  sign_in_unavailable: {
    status: 503,
    meaning: 'The identity provider does not answer. Who is signed in stays so; try again to sign in.',
  },
  payments_not_configured: {
    status: 501,
    meaning: 'This service has no payment processor, so nothing can be bought. Its operator gives credits.',
  },
  processor_unavailable: {
    status: 503,
    meaning: 'The payment processor does not answer. No invoice was made; try again.',
  },
  overloaded: { status: 503, meaning: 'More requests than can be served well right now; try again shortly.' },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof API_ERRORS

export interface ApiErrorOptions {
  /** Only one that the table knows for the code. */
  readonly status?: number
  /** Shown to the caller, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  /** Reaches only the log. */
  readonly cause?: unknown
}

export interface ErrorBody {
  readonly error: ErrorCode
  readonly message: string
  readonly status: number
  readonly details?: Readonly<Record<string, unknown>>
}

/** A no to the caller. Message and details are public; the cause reaches only the log. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    const kind: ErrorKind = API_ERRORS[code]
    const status = options.status ?? kind.status
    if (status !== kind.status && status !== kind.otherStatus) throw new TypeError(`${code} is never ${status}`)
    this.code = code
    this.status = status
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** The error object of the interface. */
  get body(): ErrorBody {
    const { code: error, message, status, details } = this
    return { error, message, status, ...(details !== undefined && { details }) }
  }
}

/** The interface fixes the words, for market and exchange books alike. */
export function noRecentData(options: Omit<ApiErrorOptions, 'status'> = {}): ApiError {
  return new ApiError('no_recent_data', 'No recent data', options)
}
