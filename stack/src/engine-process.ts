import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundCommand } from './bound-command.ts'
import { type EnginePlan, engineOf } from './engine-plans.ts'
import type { Engine } from './engines/engine.ts'
import { descendants, identify, type ProcessIdentity, sendSignal, untilGone } from './processes.ts'
import type { EngineRecord } from './stack-record.ts'

const HEALTHY_WITHIN_MS = 180_000
const PROBE_TIMEOUT_MS = 2_000
const STOPPED_WITHIN_MS = 15_000

/** One engine process of the supervisor. It is never restarted automatically: tests and people want to see it down. */
export class EngineProcess {
  readonly plan: EnginePlan
  readonly #engine: Engine
  readonly #onChange: () => void
  #child: ChildProcess | undefined
  #pauseGuard: ChildProcess | undefined
  #identity: ProcessIdentity | undefined
  #startedAtMs = Date.now()
  #healthyAfterMs: number | undefined

  constructor(plan: EnginePlan, onChange: () => void) {
    this.plan = plan
    this.#engine = engineOf(plan)
    this.#onChange = onChange
  }

  get record(): EngineRecord {
    return {
      plan: this.plan,
      startedAtMs: this.#startedAtMs,
      ...(this.#identity && { process: this.#identity }),
      ...(this.#healthyAfterMs !== undefined && { healthyAfterMs: this.#healthyAfterMs }),
    }
  }

  async startFirst(signal: AbortSignal): Promise<void> {
    this.#startedAtMs = Date.now()
    await mkdir(this.plan.folder)
    await this.#engine.prepare()
    signal.throwIfAborted()
    await this.#start(this.#startedAtMs, signal)
    await this.#engine.afterFirstStart?.()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.#start(Date.now(), new AbortController().signal)
  }

  kill(): Promise<void> {
    return this.#end((members) => {
      for (const member of members) sendSignal(member, 'SIGKILL')
    })
  }

  pause(): void {
    const members = this.#members()
    for (const member of members) sendSignal(member, 'SIGSTOP')
    this.#pauseGuard ??= guardPaused(members)
  }

  resume(): void {
    for (const member of this.#members().reverse()) sendSignal(member, 'SIGCONT')
    this.#pauseGuard?.stdin?.end()
    this.#pauseGuard = undefined
  }

  async stop(timeoutMs = STOPPED_WITHIN_MS): Promise<void> {
    this.resume()
    await this.#end(([main]) => {
      if (this.#engine.stopBy === 'closing stdin') this.#child?.stdin?.end()
      else if (main) sendSignal(main, this.#engine.stopBy)
    }, timeoutMs)
  }

  async sweep(): Promise<void> {
    await this.#engine.sweep?.()
  }

  /** The process of the engine, then its children: PostgreSQL has one for every connection. */
  #members(): ProcessIdentity[] {
    return this.#identity ? [this.#identity, ...descendants(this.#identity.pid)] : []
  }

  async #end(requestEnd: (members: ProcessIdentity[]) => void, timeoutMs = STOPPED_WITHIN_MS): Promise<void> {
    const members = this.#members()
    requestEnd(members)
    for (const member of members) {
      if (await untilGone(member, timeoutMs)) continue
      sendSignal(member, 'SIGKILL')
      await untilGone(member, STOPPED_WITHIN_MS)
    }
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  async #start(startedAtMs: number, signal: AbortSignal): Promise<void> {
    const { file, args, env } = boundCommand(this.#engine.command)
    const log = openSync(join(this.plan.folder, 'log'), 'a', 0o600)
    const child = spawn(file, args, { env, cwd: this.plan.folder, stdio: ['pipe', log, log] })
    closeSync(log)
    child.stdin?.on('error', () => {})
    child.once('exit', () => {
      if (this.#child !== child) return
      this.#identity = undefined
      this.#onChange()
    })
    await once(child, 'spawn')
    this.#child = child
    this.#identity = child.pid === undefined ? undefined : identify(child.pid)
    this.#startedAtMs = startedAtMs
    this.#healthyAfterMs = undefined
    this.#onChange()
    await this.#untilHealthy(child, signal)
    this.#healthyAfterMs = Date.now() - startedAtMs
    this.#onChange()
  }

  async #untilHealthy(child: ChildProcess, signal: AbortSignal): Promise<void> {
    const deadlineMs = Date.now() + HEALTHY_WITHIN_MS
    for (;;) {
      const failure = await this.#engine.probe(AbortSignal.timeout(PROBE_TIMEOUT_MS)).then(
        () => undefined,
        (error: Error) => error,
      )
      if (!failure) return
      signal.throwIfAborted()
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(this.#failureText('exited while starting'))
      if (Date.now() > deadlineMs)
        throw new Error(
          this.#failureText(`did not become healthy within ${HEALTHY_WITHIN_MS / 1_000} s: ${failure.message}`),
        )
      await sleep(30)
    }
  }

  #failureText(problem: string): string {
    const lastLines = readFileSync(join(this.plan.folder, 'log'), 'utf8').trim().split('\n').slice(-15)
    return `${this.plan.id} ${problem}. Last lines of its log:\n${lastLines.map((line) => `  ${line}`).join('\n')}`
  }
}

/**
 * Children of a paused engine would stay stopped forever if this process were killed. The guard resumes them when its
 * stdin closes; they then notice that their parent is dead, and exit.
 */
function guardPaused(members: ProcessIdentity[]): ChildProcess {
  const wake = 'read -r line; kill -CONT "$@" 2>/dev/null'
  const pids = members.map(({ pid }) => String(pid))
  const guard = spawn('sh', ['-c', wake, 'pause-guard', ...pids], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.once('error', () => {})
  return guard
}
