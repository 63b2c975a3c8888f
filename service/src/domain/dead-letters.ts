/** Messages that the archive could not store. */
export interface DeadLetterFigures {
  readonly count: number
  /** Undefined when there is none. */
  readonly oldestAtMs?: number
}
