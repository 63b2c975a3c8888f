/** What the service said beside an answer. */
export interface AnswerFacts {
  readonly operation: string
  readonly requestId: string | undefined
  /** Credits that it cost, and those left where something was charged. */
  readonly creditsCost: number | undefined
  readonly creditsRemaining: number | undefined
  /** Requests that fit now. */
  readonly rateRemaining: number | undefined
  /** Why there is nothing in an answer that has nothing in it. */
  readonly emptyReason: string | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Tries after the first; default 4. */
  readonly retries?: number | undefined
  /** For each try; default 60 s. */
  readonly timeoutMs?: number | undefined
  /** Of a call that costs credits; by default a new one for each call, the same over its retries. */
  readonly idempotencyKey?: string | undefined
  readonly onAnswer?: ((facts: AnswerFacts) => void) | undefined
}
