import type { Doubt } from '../domain/doubt.ts'
import type { Market } from '../domain/market.ts'
import type { RawRecord } from '../domain/raw-record.ts'
import type { BookEvent } from '../venues/venue.ts'
import type { FollowerCheckpoint, ProtocolCheckpoint } from './follower.ts'
import type { LedgerCheckpoint } from './gap-ledger.ts'
import type { RouteChange } from './market-route.ts'
import type { ShardCheckpoint } from './recorder.ts'
import type { ResumedShardRecord } from './resumed-shard.ts'

/** Everything that rows depend on: the same inputs in the same order give the same rows, byte for byte. */
export type RecordingInput = { readonly atMs: number } & (
  | { readonly kind: 'frame'; readonly socket: number; readonly text: string }
  | { readonly kind: 'opened' | 'closed'; readonly socket: number }
  | { readonly kind: 'tick'; readonly tickMs: number; readonly intervalsMs: readonly number[] }
  | { readonly kind: 'listed'; readonly market: Market }
  | { readonly kind: 'removed'; readonly marketId: string }
  | { readonly kind: 'routed'; readonly change: RouteChange }
  | { readonly kind: 'moves_settled' }
  | {
      readonly kind: 'lost'
      readonly marketIds: readonly string[]
      readonly doubt: Doubt
      readonly lastDataAtMs?: number | undefined
    }
  | { readonly kind: 'compared'; readonly marketId: string; readonly books: readonly BookEvent[] }
  | { readonly kind: 'confirmed'; readonly marketId: string }
  | {
      readonly kind: 'shard_held'
      readonly shard: string
      readonly epoch: number
      readonly resumed?: ResumedShardRecord | undefined
    }
  | { readonly kind: 'shard_saved'; readonly shard: string; readonly marketIds: readonly string[] }
  | { readonly kind: 'shard_left'; readonly shard: string }
  | { readonly kind: 'clock_stepped' }
  | {
      readonly kind: 'shards'
      readonly shards: readonly HeldShardCheckpoint[]
      readonly ruleChangedAtMs?: number | undefined
      readonly protocols?: readonly ProtocolCheckpoint[] | undefined
    }
  | ({ readonly kind: 'checkpoint' } & MarketCheckpoint)
)

export interface HeldShardCheckpoint extends ShardCheckpoint {
  readonly shard: string
  readonly epoch: number
}

/** One market with everything that is known about it between two inputs. */
export interface MarketCheckpoint {
  readonly market: Market
  readonly follower: FollowerCheckpoint
  /** Undefined while another process holds the shard. */
  readonly ledger?: LedgerCheckpoint | undefined
}

/** The stream of these records is the socket, and the body of a frame is its text. */
type KeptBySocket = Extract<RecordingInput, { kind: 'frame' | 'opened' | 'closed' }>

/** Such inputs are kept where they are received. */
export function isKeptBySocket(input: RecordingInput): input is KeptBySocket {
  return input.kind === 'frame' || input.kind === 'opened' || input.kind === 'closed'
}

const KINDS_IN_JSON: ReadonlySet<string> = new Set<RecordingInput['kind']>([
  'tick',
  'listed',
  'removed',
  'routed',
  'moves_settled',
  'lost',
  'compared',
  'confirmed',
  'shard_held',
  'shard_saved',
  'shard_left',
  'clock_stepped',
  'shards',
  'checkpoint',
])

export function rawRecordOf(venue: string, { kind, atMs, ...body }: Exclude<RecordingInput, KeptBySocket>): RawRecord {
  return { kind, atMs, venue, stream: '', body: JSON.stringify(body) }
}

/** Undefined for a record that is no input of a recording. */
export function inputIn({ kind, atMs, stream, body }: RawRecord): RecordingInput | undefined {
  if (kind === 'frame') return { kind, atMs, socket: Number(stream), text: body.toString() }
  if (kind === 'opened' || kind === 'closed') return { kind, atMs, socket: Number(stream) }
  if (!KINDS_IN_JSON.has(kind)) return undefined
  return { ...JSON.parse(body.toString()), kind, atMs } as RecordingInput
}
