import type { Doubt } from '../../domain/doubt.ts'
import type { RaisedDoubt } from '../venue.ts'
import type { CluesCheckpoint } from './hash-clues.ts'
import type { HashedState } from './hashed-state.ts'
import type { ComparisonCheckpoint } from './rest-comparison.ts'
import type { TokenCheckpoint } from './token-proof.ts'

/** See `BinaryBook.checkpoint`. */
export interface ProvedBookCheckpoint {
  readonly clues: CluesCheckpoint
  readonly tokens: readonly [TokenCheckpoint, TokenCheckpoint]
  readonly comparison: ComparisonCheckpoint
  readonly state?: HashedState | undefined
  readonly doubt?: Doubt | undefined
  readonly provedAtMs?: number | undefined
  readonly changeCount: number
  readonly raised: readonly RaisedDoubt[]
  readonly unevenSinceMs?: number | undefined
}
