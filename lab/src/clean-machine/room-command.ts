import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'

const KEPT_CHARACTERS = 200_000
const LOOK_EVERY_MS = 100
/** Limit for the end of the output, which a background process of the command may keep open. */
const FLUSH_MS = 500

/** A command in the clean room, in its own process group, as a terminal starts it. */
export class RoomCommand {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #output = ''

  constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_CHARACTERS)
      })
    }
    this.#ended = once(this.#child, 'exit')
  }

  get output(): string {
    return stripVTControlCharacters(this.#output)
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** The exit code, or undefined when it still runs after that time. */
  async end(withinMs: number, signal: AbortSignal): Promise<number | undefined> {
    const untilMs = performance.now() + withinMs
    while (!this.hasEnded) {
      if (performance.now() > untilMs) return undefined
      await Promise.race([this.#ended, sleep(LOOK_EVERY_MS, undefined, { signal })])
    }
    await this.#flush()
    return this.#child.exitCode ?? 1
  }

  /** Whether the expected output appears before the command ends and within the time. */
  async shows(expected: RegExp, withinMs: number, signal: AbortSignal): Promise<boolean> {
    const untilMs = performance.now() + withinMs
    while (!expected.test(this.output)) {
      if (this.hasEnded || performance.now() > untilMs) return false
      await sleep(LOOK_EVERY_MS, undefined, { signal })
    }
    return true
  }

  /** Sends Ctrl-C; false when a process of the group still runs after this time. */
  async interrupt(withinMs: number): Promise<boolean> {
    this.#signal('SIGINT')
    const untilMs = performance.now() + withinMs
    while (this.#signal(0)) {
      if (performance.now() > untilMs) return false
      await sleep(LOOK_EVERY_MS)
    }
    await this.#flush()
    return true
  }

  kill(): void {
    this.#signal('SIGKILL')
  }

  async #flush(): Promise<void> {
    await Promise.race([once(this.#child, 'close'), sleep(FLUSH_MS)])
  }

  /** Signals the whole group; false when no process is left. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-(this.#child.pid ?? 0), signal)
    } catch {
      return false
    }
  }
}
