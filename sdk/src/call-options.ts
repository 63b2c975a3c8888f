/** Response headers of a call. */
export interface AnswerFacts {
  readonly operation: string
  readonly requestId: string | undefined
  /** Credits charged, and the remaining balance when something was charged. */
  readonly creditsCost: number | undefined
  readonly creditsRemaining: number | undefined
  /** Requests that the rate limit still allows now. */
  readonly rateRemaining: number | undefined
  /** Why the result is empty, when it is. */
  readonly emptyReason: string | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Number of retries; default 4. */
  readonly retries?: number | undefined
  /** Timeout of each attempt; default 60 s. */
  readonly timeoutMs?: number | undefined
  /** `Idempotency-Key` of a call that costs credits; by default a new one for each call, shared by its retries. */
  readonly idempotencyKey?: string | undefined
  readonly onAnswer?: ((facts: AnswerFacts) => void) | undefined
}
