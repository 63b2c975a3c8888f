import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { variablesOf } from './engine-plans.ts'
import { type EngineId, type EngineKind, USUAL_ENGINES } from './engines/engine.ts'
import { ensurePrograms } from './install/ensure-programs.ts'
import { isAlive } from './processes.ts'
import { readRecord, removeRemains, type StackRecord } from './stack-record.ts'
import { SupervisorLink } from './supervisor-link.ts'
import type { EngineAction } from './supervisor-protocol.ts'

export interface StackOptions {
  /** Default: a new folder of its own below the system's folder for temporary files. */
  readonly dir?: string
  /** Default: the usual four. */
  readonly engines?: readonly EngineKind[]
  readonly clickhouseShards?: number
  /** Told about slow steps, such as a download. */
  readonly onProgress?: (line: string) => void
  /** Ends an unfinished start; whatever was started is gone when the promise rejects. */
  readonly signal?: AbortSignal
}

/** A running stack. It ends with `stop()`, and with the process that started it unless it was released. */
export interface Stack extends AsyncDisposable {
  readonly dir: string
  /** The state when the last call on the stack or one of its engines returned. */
  readonly record: StackRecord
  /** As in `stack.env`: CLICKHOUSE_URL, NATS_URL, DATABASE_URL, REDIS_URL, perhaps OIDC_ISSUER, and their company. */
  readonly variables: Readonly<Record<string, string>>
  /** Throws when the stack has no such variable, as when the engine was not asked for. */
  variable(name: string): string
  engine(id: EngineId): EngineHandle
  /** Lets the stack live on when this process ends. Afterwards `stopStack` ends it. */
  release(): Promise<void>
  stop(): Promise<void>
}

export interface EngineHandle {
  /** Throws while the engine does not run. */
  readonly pid: number
  /** As with `kill -9`; resolves when all its processes are gone. */
  kill(): Promise<void>
  /** Stops it from running without ending it: connections stay open and nothing answers. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Same ports, same data, whether it runs, was paused or was killed; resolves when it is healthy. */
  restart(): Promise<void>
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const kinds = options.engines ?? USUAL_ENGINES
  const clickhouseShards = options.clickhouseShards ?? 1
  const programs = await ensurePrograms(kinds, options.onProgress ?? (() => {}))
  options.signal?.throwIfAborted()
  const dir = options.dir ? resolve(options.dir) : await mkdtemp(join(tmpdir(), 'bookreel-stack-'))
  const former = readRecord(dir)
  if (former && isAlive(former.supervisor)) throw new Error(`A stack is already running in ${dir}`)
  if (former) await removeRemains(dir, former)

  const supervisor = fork(fileURLToPath(new URL('./supervisor.ts', import.meta.url)), [dir], {
    cwd: '/',
    detached: true,
    execArgv: [],
    // Not our stderr: a released supervisor would keep `up 2>&1 | less` from ever ending.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const link = new SupervisorLink(supervisor)
  const stopStarting = () => link.send({ type: 'stop' })
  options.signal?.addEventListener('abort', stopStarting)
  if (options.signal?.aborted) stopStarting()
  try {
    await once(supervisor, 'spawn')
    await link.start({ dir, kinds, clickhouseShards, programs })
  } finally {
    options.signal?.removeEventListener('abort', stopStarting)
  }
  return stackOver(dir, link, kinds)
}

/** Whoever can act on the engines of a running stack. */
export interface StackControl {
  readonly record: StackRecord
  act(engine: EngineId, action: EngineAction): Promise<void>
  release(): Promise<void>
  stop(): Promise<void>
}

/** The stack as its user sees it, with the variables of these engines. */
export function stackOver(dir: string, control: StackControl, engines: readonly EngineKind[]): Stack {
  const plans = control.record.engines.map(({ plan }) => plan).filter(({ kind }) => engines.includes(kind))
  const variables = variablesOf(plans)
  const stop = () => control.stop()
  return {
    dir,
    variables,
    get record() {
      return control.record
    },
    variable(name) {
      const value = variables[name]
      if (value === undefined) throw new Error(`This stack has no ${name}`)
      return value
    },
    engine(id) {
      return {
        get pid() {
          const pid = control.record.engines.find(({ plan }) => plan.id === id)?.process?.pid
          if (pid === undefined) throw new Error(`${id} does not run`)
          return pid
        },
        kill: () => control.act(id, 'kill'),
        pause: () => control.act(id, 'pause'),
        resume: () => control.act(id, 'resume'),
        restart: () => control.act(id, 'restart'),
      }
    },
    release: () => control.release(),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
