import type { EngineId } from '@bookreel/stack/engines/engine'
import type { StackRecord } from '@bookreel/stack/stack-record'
import type { EngineAction } from '@bookreel/stack/supervisor-protocol'

/** The environment variable that tells test workers the port of the pool. */
export const POOL_PORT = 'BOOKREEL_STACK_POOL_PORT'

/** One JSON document a line. A connection to the pool is the loan of one stack: it ends when the connection closes. */
export interface ToPool {
  readonly ticket: number
  readonly engine: EngineId
  readonly action: EngineAction
}

/** The first message has ticket 0 and says which stack was lent. */
export interface FromPool {
  readonly ticket: number
  readonly dir: string
  readonly record: StackRecord
  readonly failure?: string
}
