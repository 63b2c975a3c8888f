import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { WrongUse } from './exit-codes.ts'
import type { Variables } from './settings.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
export type Paint = (style: Style, text: string) => string

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

const DEFAULT_COLUMNS = 100
const DEFAULT_ROWS = 30

/** Standard input and output of the program, on a terminal or in a pipe. */
export class Terminal {
  readonly variables: Variables
  readonly stdin: NodeJS.ReadStream
  readonly #stdout: NodeJS.WriteStream
  readonly #stderr: NodeJS.WriteStream
  readonly #mayDecorate: boolean

  constructor({ stdin, stdout, stderr }: TerminalStreams, variables: Variables) {
    this.stdin = stdin
    this.#stdout = stdout
    this.#stderr = stderr
    this.variables = variables
    this.#mayDecorate = (variables.NO_COLOR ?? '') === '' && variables.TERM !== 'dumb'
  }

  /** Writes results to standard output. */
  out(text: string): void {
    this.#stdout.write(text)
  }

  line(text = ''): void {
    this.out(`${text}\n`)
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value))
  }

  /** Writes messages about the results (progress, prices, questions) to standard error. */
  note(text: string): void {
    this.#stderr.write(`${text}\n`)
  }

  writeStderr(text: string): void {
    this.#stderr.write(text)
  }

  /** Whether standard output supports cursor control. */
  get canRedraw(): boolean {
    return this.#mayDecorate && this.#stdout.isTTY === true
  }

  get canRedrawStderr(): boolean {
    return this.#mayDecorate && this.#stderr.isTTY === true
  }

  get columns(): number {
    return this.#stdout.columns ?? DEFAULT_COLUMNS
  }

  get stderrColumns(): number {
    return this.#stderr.columns ?? DEFAULT_COLUMNS
  }

  get rows(): number {
    return this.#stdout.rows ?? DEFAULT_ROWS
  }

  /** Tables in a pipe are not shortened. */
  get tableWidth(): number {
    return this.#stdout.isTTY === true ? this.columns : Number.POSITIVE_INFINITY
  }

  /** Returns a function that removes the listener. */
  onResize(redraw: () => void): () => void {
    this.#stdout.on('resize', redraw)
    return () => this.#stdout.off('resize', redraw)
  }

  get paint(): Paint {
    return this.canRedraw ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text
  }

  /** Asks the user to confirm. Without a terminal `--yes` is required. */
  async confirm(question: string, isYes: boolean, signal: AbortSignal): Promise<boolean> {
    if (isYes) return true
    if (this.stdin.isTTY !== true)
      throw new WrongUse(`${question} Standard input is not a terminal, so this needs --yes to continue.`)
    const prompter = createInterface({ input: this.stdin, output: this.#stderr })
    return /^y(es)?$/i.test(await readAnswer(prompter, `${question} [y/N] `, signal))
  }

  /** Reads one line without echo. */
  async secret(prompt: string, signal: AbortSignal): Promise<string> {
    const isTyped = this.stdin.isTTY === true
    const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
    const prompter = createInterface({ input: this.stdin, output: discard, terminal: isTyped })
    // Only now: from here on the terminal does not show what is typed.
    if (isTyped) this.writeStderr(prompt)
    try {
      return await readAnswer(prompter, '', signal)
    } finally {
      if (isTyped) this.note('')
    }
  }
}

/** Returns the typed line, or an empty string when the input ends. */
async function readAnswer(prompter: Interface, question: string, signal: AbortSignal): Promise<string> {
  const { promise: ended, resolve: end, reject: interrupt } = Promise.withResolvers<string>()
  prompter.once('close', () => end(''))
  // While readline reads a line, Ctrl-C arrives as a character and not as a signal.
  prompter.once('SIGINT', () => interrupt(new Interrupted()))
  try {
    return (await Promise.race([prompter.question(question, { signal }), ended])).trim()
  } finally {
    prompter.close()
  }
}

/** Thrown after Ctrl-C or a termination signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
