/** What a charged request has read. A free retry reads the same, so that it gets the same answer. */
export interface PaidRead {
  /** The time of the charged request, which is "now" for its retries. */
  readonly atMs: number
  /** The newest slot that was read; rows that arrived later are not part of the answer. */
  readonly upToSlot?: number
}
