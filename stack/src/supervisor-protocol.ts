import type { StackRequest } from './engine-plans.ts'
import type { EngineId } from './engines/engine.ts'
import type { StackRecord } from './stack-record.ts'

/** A stack that was never released ends when the process that started it does. */
export type ToSupervisor =
  | { readonly type: 'start'; readonly request: StackRequest }
  | { readonly type: 'release' }
  | { readonly type: 'stop' }
  | { readonly type: 'act'; readonly ticket: number; readonly engine: EngineId; readonly action: EngineAction }

export type EngineAction = 'kill' | 'pause' | 'resume' | 'restart'

export type FromSupervisor =
  | { readonly type: 'ready'; readonly record: StackRecord }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'acted'; readonly ticket: number; readonly record: StackRecord; readonly failure?: string }
