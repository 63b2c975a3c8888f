/** As many as the default of the service. */
export const SHARDS = 8

export interface Kill {
  readonly atMs: number
  /** By then others had its shards. */
  readonly backMs: number
  readonly shards: readonly string[]
}
