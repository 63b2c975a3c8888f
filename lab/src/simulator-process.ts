import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Simulator } from '@bookreel/simulator/simulator'
import type { WorldOptions } from '@bookreel/simulator/world/world'

/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** A simulator in a process of its own, so that what it costs can be told from what its clients cost. */
export class SimulatorProcess implements AsyncDisposable {
  readonly addresses: Simulator['addresses']
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, addresses: Simulator['addresses']) {
    this.#child = child
    this.addresses = addresses
  }

  static async start(args: readonly string[]): Promise<SimulatorProcess> {
    const main = fileURLToPath(import.meta.resolve('@bookreel/simulator/main'))
    const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--json', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const first = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      child.once('exit', (code) => reject(new Error(`the simulator ended with ${code} before it was open`)))
    })
    return new SimulatorProcess(child, JSON.parse(first))
  }

  /** Processor time used so far, all threads, in seconds. */
  cpuSeconds(): number {
    // The program's name stands in brackets and may hold blanks; times are counted from behind it.
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  }

  /** What the world was made from, and how late it is there. */
  async world(): Promise<WorldOptions & { nowMs: number }> {
    const answer = await fetch(`${this.addresses.admin}/world`)
    return (await answer.json()) as WorldOptions & { nowMs: number }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    await ended
  }
}
