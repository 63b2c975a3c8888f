import type { Doubt, ProvedState, RaisedDoubt } from '../venue.ts'
import type { CluesCheckpoint } from './hash-clues.ts'
import type { ComparisonCheckpoint } from './rest-comparison.ts'
import type { TokenCheckpoint } from './token-proof.ts'

/** See `BinaryBook.checkpoint`. */
export interface ProvedBookCheckpoint {
  readonly clues: CluesCheckpoint
  readonly tokens: readonly [TokenCheckpoint, TokenCheckpoint]
  readonly comparison: ComparisonCheckpoint
  readonly state?: ProvedState | undefined
  readonly doubt?: Doubt | undefined
  readonly provedAtMs?: number | undefined
  readonly changeCount: number
  readonly raised: readonly RaisedDoubt[]
  readonly unevenSinceMs?: number | undefined
}
