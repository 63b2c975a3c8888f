import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../experiment.ts'
import type { CleanRoom } from './clean-room.ts'
import type { PlannedCommand } from './plan.ts'
import type { RoomCommand } from './room-command.ts'

export interface StepResult {
  readonly step: string
  readonly from: PlannedCommand['from']
  readonly seconds: number
  /** Undefined on success. */
  readonly problem?: string
  readonly output: string
}

interface Terminal {
  readonly variables: string[]
  running?: { readonly planned: PlannedCommand; readonly command: RoomCommand }
}

const CTRL_C_WITHIN_MS = 20_000
const REPEAT_AFTER_MS = 1_000
const TELL_EVERY_MS = 10_000

/** Runs a plan in a clean room as a person with several terminals would. */
export class PlanRunner {
  readonly results: StepResult[] = []
  readonly #room: Pick<CleanRoom, 'start'>
  readonly #folder: string
  readonly #progress: Progress
  readonly #signal: AbortSignal
  readonly #terminals = new Map<string, Terminal>()

  constructor(room: Pick<CleanRoom, 'start'>, folder: string, progress: Progress, signal: AbortSignal) {
    this.#room = room
    this.#folder = folder
    this.#progress = progress
    this.#signal = signal
  }

  /** Stops early, and returns false, when an essential command fails. */
  async run(plan: readonly PlannedCommand[]): Promise<boolean> {
    let isWhole = true
    for (const planned of plan) {
      if (planned.packages !== undefined) await this.#install(planned.packages)
      if (planned.from === 'end') await this.#interruptAll()
      const terminal = this.#terminal(planned.terminal)
      await this.#interrupt(terminal)
      const problem = await this.#step(planned.command, planned.from, () => this.#type(planned, terminal))
      isWhole = problem === undefined || !planned.isEssential
      if (!isWhole) break
    }
    await this.#interruptAll()
    return isWhole
  }

  async #install(packages: readonly string[]): Promise<void> {
    const command = `apt-get install -qq --yes --no-install-recommends ${packages.join(' ')}`
    await this.#step(command, 'README', () => this.#toItsEnd(command, { expects: /^/, withinSeconds: 600 }))
  }

  async #type(planned: PlannedCommand, terminal: Terminal): Promise<Done> {
    const script = [`cd ${this.#folder}`, ...terminal.variables, planned.command].join('\n')
    if (planned.run === 'sets variables') terminal.variables.push(planned.command)
    if (planned.run !== 'until Ctrl-C') return this.#toItsEnd(script, planned)
    const command = this.#room.start(script)
    terminal.running = { planned, command }
    const shown = await command.shows(planned.expects, planned.withinSeconds * 1_000, this.#signal)
    const why = command.hasEnded ? 'it ended' : `not within ${planned.withinSeconds} s`
    return { output: command.output, ...(!shown && { problem: `did not show ${planned.expects}: ${why}` }) }
  }

  async #toItsEnd(
    script: string,
    { expects, withinSeconds, repeat = false }: Pick<PlannedCommand, 'expects' | 'withinSeconds' | 'repeat'>,
  ): Promise<Done> {
    const untilMs = performance.now() + withinSeconds * 1_000
    for (;;) {
      const command = this.#room.start(script)
      const code = await command.end(untilMs - performance.now(), this.#signal)
      const output = command.output
      if (code === undefined) {
        command.kill()
        return { output, problem: `still running after ${withinSeconds} s` }
      }
      if (code === 0 && expects.test(output.trim())) return { output }
      if (!repeat || performance.now() > untilMs) {
        return { output, problem: code === 0 ? `did not show ${expects}` : `ended with ${code}` }
      }
      await sleep(REPEAT_AFTER_MS, undefined, { signal: this.#signal })
    }
  }

  /** Ctrl-C in every terminal, the last used first. */
  async #interruptAll(): Promise<void> {
    for (const terminal of [...this.#terminals.values()].toReversed()) await this.#interrupt(terminal)
  }

  async #interrupt(terminal: Terminal): Promise<void> {
    const { running } = terminal
    delete terminal.running
    if (running === undefined) return
    const { planned, command } = running
    await this.#step(`Ctrl-C: ${planned.command}`, planned.from, async () => {
      const ended = await command.interrupt(CTRL_C_WITHIN_MS)
      const { output } = command
      if (!ended) {
        command.kill()
        return { output, problem: `still running ${CTRL_C_WITHIN_MS / 1_000} s after Ctrl-C` }
      }
      const shown = planned.afterCtrlC?.test(output) ?? true
      return { output, ...(!shown && { problem: `did not show ${planned.afterCtrlC} after Ctrl-C` }) }
    })
  }

  async #step(step: string, from: StepResult['from'], act: () => Promise<Done>): Promise<string | undefined> {
    const startedAtMs = performance.now()
    const tell = () => {
      const seconds = Math.round((performance.now() - startedAtMs) / 1_000)
      this.#progress(`step ${this.results.length + 1}, ${seconds} s: ${step}`)
    }
    tell()
    const telling = setInterval(tell, TELL_EVERY_MS)
    const done = await act().finally(() => clearInterval(telling))
    this.results.push({ step, from, seconds: (performance.now() - startedAtMs) / 1_000, ...done })
    return done.problem
  }

  #terminal(name: string): Terminal {
    const terminal = this.#terminals.get(name) ?? { variables: [] }
    this.#terminals.set(name, terminal)
    return terminal
  }
}

interface Done {
  readonly output: string
  readonly problem?: string
}
