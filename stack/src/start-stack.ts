import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { variablesOf } from './engine-plans.ts'
import { type EngineId, type EngineKind, type EngineUsers, USUAL_ENGINES } from './engines/engine.ts'
import { ensurePrograms } from './install/ensure-programs.ts'
import { isAlive } from './processes.ts'
import { readRecord, removeAbandoned, type StackRecord } from './stack-record.ts'
import { SupervisorLink } from './supervisor-link.ts'
import type { EngineAction } from './supervisor-protocol.ts'

export interface StackOptions {
  /** Default: a new temporary folder. */
  readonly dir?: string
  /** Default: `USUAL_ENGINES`. */
  readonly engines?: readonly EngineKind[]
  readonly clickhouseShards?: number
  /** More than one makes a Redis cluster of that many masters. */
  readonly redisNodes?: number
  readonly users?: EngineUsers
  /** Called for slow steps, such as a download. */
  readonly onProgress?: (line: string) => void
  /** Aborts an unfinished start; everything that was started has stopped when the promise rejects. */
  readonly signal?: AbortSignal
}

/** A running stack. It ends with `stop()`, and with the process that started it unless it was released. */
export interface Stack extends AsyncDisposable {
  readonly dir: string
  /** State after the last call on the stack or one of its engines. */
  readonly record: StackRecord
  /** As in `stack.env`: CLICKHOUSE_URL, NATS_URL, DATABASE_URL, REDIS_URL, OIDC_ISSUER with an identity provider, and others. */
  readonly variables: Readonly<Record<string, string>>
  /** Throws when the stack has no such variable, for example because it does not include the engine. */
  variable(name: string): string
  engine(id: EngineId): EngineHandle
  /** Keeps the stack running after this process ends; `stopStack` stops it. */
  release(): Promise<void>
  stop(): Promise<void>
}

export interface EngineHandle {
  /** Throws while the engine does not run. */
  readonly pid: number
  /** Like `kill -9`; resolves when all processes of the engine have ended. */
  kill(): Promise<void>
  /** Suspends the engine (SIGSTOP): connections stay open and requests get no reply. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Restarts a running, paused or killed engine with the same ports and data; resolves when it is healthy. */
  restart(): Promise<void>
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const kinds = options.engines ?? USUAL_ENGINES
  const { clickhouseShards = 1, redisNodes = 1 } = options
  const programs = await ensurePrograms(kinds, options.onProgress ?? (() => {}))
  options.signal?.throwIfAborted()
  const dir = options.dir ? resolve(options.dir) : await mkdtemp(join(tmpdir(), 'bookreel-stack-'))
  const previous = readRecord(dir)
  if (previous && isAlive(previous.supervisor))
    throw new Error(`A stack is already running in ${dir}. Use another folder, or stop it with: npm run stack -- down`)
  if (previous) await removeAbandoned(dir, previous)

  const supervisor = fork(fileURLToPath(new URL('./supervisor.ts', import.meta.url)), [dir], {
    cwd: '/',
    detached: true,
    execArgv: [],
    // Do not inherit stderr: a released supervisor would keep `up 2>&1 | less` open.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const link = new SupervisorLink(supervisor)
  const abortStart = () => link.send({ type: 'stop' })
  options.signal?.addEventListener('abort', abortStart)
  if (options.signal?.aborted) abortStart()
  try {
    await once(supervisor, 'spawn')
    await link.start({ dir, kinds, clickhouseShards, redisNodes, programs, users: options.users })
  } finally {
    options.signal?.removeEventListener('abort', abortStart)
  }
  return stackOver(dir, link, kinds)
}

/** Controls the engines of a running stack. */
export interface StackControl {
  readonly record: StackRecord
  act(engine: EngineId, action: EngineAction): Promise<void>
  release(): Promise<void>
  stop(): Promise<void>
}

/** Makes a `Stack` with the variables of these engines. */
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
      if (value === undefined) throw new Error(`This stack has no ${name}. Add the engine to the engines of the stack.`)
      return value
    },
    engine(id) {
      return {
        get pid() {
          const pid = control.record.engines.find(({ plan }) => plan.id === id)?.process?.pid
          if (pid === undefined) throw new Error(`${id} is not running`)
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
