import type { StackRequest } from './engine-plans.ts'
import type { EngineId } from './engines/engine.ts'
import type { StackRecord } from './stack-record.ts'

/** Messages to the supervisor. A stack that was not released ends with the process that started it. */
export type ToSupervisor =
  | { readonly type: 'start'; readonly request: StackRequest }
  | { readonly type: 'release' }
  | { readonly type: 'stop' }
  | { readonly type: 'act'; readonly requestId: number; readonly engine: EngineId; readonly action: EngineAction }

export type EngineAction = 'kill' | 'pause' | 'resume' | 'restart'

export type FromSupervisor =
  | { readonly type: 'ready'; readonly record: StackRecord }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'acted'; readonly requestId: number; readonly record: StackRecord; readonly failure?: string }
