import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Ended {
  readonly output: string
  /** Null when a signal ended it. */
  readonly code: number | null
}

const LOOK_EVERY_MS = 50
const CTRL_C_WITHIN_MS = 30_000

/** A terminal in which commands are typed one after the other; variables and the current folder are kept. */
export class Shell {
  readonly #state: string
  readonly #env: Record<string, string>

  /** `state` is a folder for the variables of the shell. */
  constructor({ folder, state, env }: { folder: string; state: string; env: Record<string, string> }) {
    this.#state = state
    this.#env = env
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'variables'), '')
    writeFileSync(join(state, 'folder'), folder)
  }

  /** Runs a command to its end. */
  async run(command: string, withinMs: number): Promise<Ended> {
    const running = this.#start(command)
    const isOver = await Promise.race([running.ended.then(() => true), sleep(withinMs, false)])
    if (isOver) return running.ended
    running.signal('SIGKILL')
    throw new Error(`still running after ${withinMs / 1_000} s: ${command}\n${running.output()}`)
  }

  /** Runs a command until its output matches, then presses Ctrl-C. */
  async runUntil(command: string, shows: RegExp, withinMs: number): Promise<Ended> {
    const running = this.#start(command)
    const untilMs = performance.now() + withinMs
    while (!shows.test(running.output()) && !running.hasEnded() && performance.now() < untilMs)
      await sleep(LOOK_EVERY_MS)
    if (running.hasEnded()) return running.ended
    running.signal('SIGINT')
    const isOver = await Promise.race([running.ended.then(() => true), sleep(CTRL_C_WITHIN_MS, false)])
    if (isOver) return running.ended
    running.signal('SIGKILL')
    throw new Error(`still running ${CTRL_C_WITHIN_MS / 1_000} s after Ctrl-C: ${command}\n${running.output()}`)
  }

  #start(command: string) {
    const script = `. ${this.#state}/variables 2>/dev/null
cd "$(cat ${this.#state}/folder)"
${command}
status=$?
declare -p | grep -E '^declare -(-|x) [A-Za-z_]+=.*"$' | grep -v '^declare -- BASH' > ${this.#state}/variables
pwd > ${this.#state}/folder
exit $status`
    const child = spawn('bash', ['-c', script], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group, as a terminal gives to each command, so that Ctrl-C reaches all its processes.
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = once(child, 'close').then(([code]): Ended => ({ output, code: code as number | null }))
    return {
      ended,
      output: () => output,
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      signal: (signal: 'SIGINT' | 'SIGKILL') => {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
      },
    }
  }
}

/** The commands of a block: a command goes on over several lines as long as the shell would ask for more. */
export function commandsOf(block: string): string[] {
  const commands: string[] = []
  let open = ''
  for (const line of block.split('\n')) {
    open += open === '' ? line : `\n${line}`
    if (line.endsWith('\\') || !isWhole(open)) continue
    if (open.trim() !== '' && !open.startsWith('#')) commands.push(open)
    open = ''
  }
  if (open !== '') throw new Error(`This command does not end: ${open}`)
  return commands
}

function isWhole(command: string): boolean {
  try {
    execFileSync('bash', ['-n', '-c', command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
