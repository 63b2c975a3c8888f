interface ErrorKind {
  readonly status: number
  /** For the documentation: what happened, and what the caller can do. */
  readonly meaning: string
  /** Where the interface declares another status for the same code. */
  readonly otherStatus?: number
}

/** Every error code of the API. A code is part of the interface and never changes; its message may. */
export const API_ERRORS = {
  invalid_request: {
    status: 400,
    meaning: 'A parameter is unknown, repeated, missing or out of range; `details` names it and what is allowed.',
  },
  sign_in_failed: {
    status: 400,
    meaning:
      'The answer of the identity provider was used before, or belongs to a sign-in that this browser did not start. Sign in again.',
  },
  unauthenticated: {
    status: 401,
    meaning:
      'The request has no valid API key or session. For keys, `details.reason` is `missing_key`, `malformed_key`, `unknown_key` (unknown, revoked or expired) or `unsupported_scheme`. Send the key as `X-API-Key: <key>` or `Authorization: Bearer <key>`; `X-API-Key` is used when both are sent. On account endpoints, sign in again.',
  },
  signature_refused: {
    status: 401,
    meaning:
      'The signature of the payment callback is wrong. Nothing was stored. Check the callback secret that both sides use.',
  },
  out_of_credits: {
    status: 402,
    meaning:
      'The request costs more credits than the account has, or than the monthly limit of this key allows. Buy credits, or raise the limit of the key.',
  },
  tier_not_allowed: {
    status: 403,
    otherStatus: 402,
    meaning:
      'The tier of the account does not include this; `details` names the tiers that do. The list of snapshots answers 402 instead of 403.',
  },
  scope_not_allowed: {
    status: 403,
    meaning:
      'The API key does not have the required scope; `details` names it. Use another key, or create one with this scope.',
  },
  key_limit_reached: { status: 403, meaning: 'The account has as many API keys as its tier allows. Revoke one first.' },
  cross_site_refused: {
    status: 403,
    meaning:
      'Requests that change an account must have the `Origin` of this service and the header `X-Requested-With: bookreel`.',
  },
  host_not_allowed: {
    status: 403,
    meaning:
      'The `Host` or `Origin` of this MCP request is not allowed. The operator can allow more hosts with `MCP_ALLOWED_HOSTS`.',
  },
  https_required: {
    status: 403,
    meaning:
      'The request came over plain HTTP. Use HTTPS. Replace a key or session that was sent this way, because others may have read it.',
  },
  sign_in_again: {
    status: 403,
    meaning:
      'A change by an operator needs a sign-in at the identity provider within the last 15 minutes. Open `/auth/login?again=true`.',
  },
  market_not_found: { status: 404, meaning: 'No market has this id. `/v1/markets/live` lists live markets.' },
  slug_not_found: { status: 404, meaning: 'No market matches this slug, or several do; `details` lists candidates.' },
  event_not_found: {
    status: 404,
    meaning: 'No event of the venue has this slug. `/v1/events` lists events; an event of another venue needs `venue`.',
  },
  no_recent_data: {
    status: 404,
    meaning: 'The market exists, but has no trusted book from the last 60 seconds. Try again in a few seconds.',
  },
  no_data_at_time: {
    status: 404,
    meaning:
      'The market exists, but has no trusted book at that time; `details` says whether there is a gap, and its cause.',
  },
  no_snapshot: {
    status: 404,
    meaning:
      'The market exists, but has no snapshot within one minute of that time; `details` says when it was recorded and names the nearest gap.',
  },
  market_closed: {
    status: 404,
    meaning:
      'The market is past its end, also if its outcome is not known yet, and has no live book; its history is still served.',
  },
  sample_not_found: { status: 404, meaning: 'There is no sample with this id. `/v1/samples` lists all samples.' },
  key_not_found: { status: 404, meaning: 'The account has no active API key with this id.' },
  invoice_not_found: { status: 404, meaning: 'The account has no invoice with this id.' },
  review_not_found: { status: 404, meaning: 'No open payment review has this number; somebody may have resolved it.' },
  account_not_found: { status: 404, meaning: 'No account has this id.' },
  file_not_found: { status: 404, meaning: 'No file has this id. `/v1/files` lists all files.' },
  not_found: { status: 404, meaning: 'No endpoint has this path. See `/openapi.json` for all paths.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not for this HTTP method; the header `Allow` lists the methods.',
  },
  idempotency_mismatch: {
    status: 409,
    meaning: 'The `Idempotency-Key` was already used for a different request. Use a new one for each request.',
  },
  idempotency_spent: {
    status: 409,
    meaning:
      'The `Idempotency-Key` was repeated more than 5 times or after 24 hours, or its answer has changed because stored data was added or corrected. Nothing was charged; use a new one.',
  },
  rotation_running: {
    status: 409,
    meaning:
      'The key was rotated before, and its former secret still works until `former_secret_until` in `details`. Use the newest secret; if you have lost it, wait until that time and rotate again, or rotate with `overlapSeconds` 0, which ends both secrets at once.',
  },
  hour_not_finished: {
    status: 409,
    meaning:
      'The hour is not over, its last rows are not stored yet, or its rows are being corrected. `available_at` in `details` says when its file is available (null when that is not known), `Retry-After` when to try again.',
  },
  invoice_limit_reached: {
    status: 409,
    meaning:
      'The account has too many unpaid invoices, or has tried to create too many within an hour. Pay one, or wait until one expires or the hour is over.',
  },
  plan_arranged: {
    status: 409,
    meaning:
      'The operator set the tier of this account, so only credits can be bought. Ask the operator to change the tier.',
  },
  payload_too_large: { status: 413, meaning: 'The request body is larger than this endpoint accepts.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'This endpoint does not accept the `Content-Type` of the request body.',
  },
  range_not_satisfiable: { status: 416, meaning: 'The `Range` header starts after the end of the file.' },
  rate_limited: {
    status: 429,
    meaning:
      'Too many requests: of the account in a minute, requests for history, quotes or searches at once, stream connections at once, or requests with invalid keys from one address. `Retry-After`, `RateLimit-Reset` and `details.reset_seconds` say in how many seconds to send the next one.',
  },
  internal: { status: 500, meaning: 'An internal error. Nothing was charged. Report it with the request id.' },
  store_unavailable: {
    status: 503,
    meaning: 'A database that this request needs is not available. Nothing was charged; try again.',
  },
  sign_in_not_configured: {
    status: 501,
    meaning: 'This service has no identity provider, so sign-in is not possible. Ask the operator for an API key.',
  },
  sign_in_unavailable: {
    status: 503,
    meaning: 'The identity provider does not answer. Existing sessions still work; try to sign in again later.',
  },
  payments_not_configured: {
    status: 501,
    meaning: 'This service has no payment processor, so nothing can be bought. Ask the operator for credits.',
  },
  processor_unavailable: {
    status: 503,
    meaning: 'The payment processor does not answer. No invoice was created; try again.',
  },
  overloaded: { status: 503, meaning: 'The server has too many requests at the moment. Try again in a few seconds.' },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof API_ERRORS

export interface ApiErrorOptions {
  /** Only a status that `API_ERRORS` lists for the code. */
  readonly status?: number
  /** Shown to the caller, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  /** `WWW-Authenticate` of a 401. */
  readonly challenge?: string
  /** `RateLimit-Limit` of a 429: requests per minute. */
  readonly rateLimit?: number
  /** `X-Credits-Remaining` of a 402. */
  readonly creditsRemaining?: number
  /** Only logged. */
  readonly cause?: unknown
}

export interface ErrorBody {
  readonly error: ErrorCode
  readonly message: string
  readonly status: number
  readonly details?: Readonly<Record<string, unknown>>
}

/** An error that the caller sees. Message and details are public; the cause is only logged. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds: number | undefined
  readonly challenge: string | undefined
  readonly rateLimit: number | undefined
  readonly creditsRemaining: number | undefined

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    const kind: ErrorKind = API_ERRORS[code]
    const status = options.status ?? kind.status
    if (status !== kind.status && status !== kind.otherStatus)
      throw new TypeError(`${code} can not have the status ${status}`)
    this.code = code
    this.status = status
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.challenge = options.challenge
    this.rateLimit = options.rateLimit
    this.creditsRemaining = options.creditsRemaining
  }

  /** The error object of the interface. */
  get body(): ErrorBody {
    const { code: error, message, status, details } = this
    return { error, message, status, ...(details !== undefined && { details }) }
  }
}

/** Also for paths that exist for others only. */
export function noSuchPath(): ApiError {
  return new ApiError('not_found', 'There is no endpoint at this path. See /docs for all endpoints.')
}

/** The interface defines this message, for market and exchange books. */
export function noRecentData(options: Omit<ApiErrorOptions, 'status'> = {}): ApiError {
  return new ApiError('no_recent_data', 'No recent data', options)
}
