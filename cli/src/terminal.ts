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

const USUAL_COLUMNS = 100
const USUAL_ROWS = 30

/** Where a person reads and types, or a program does. */
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

  /** Results. */
  out(text: string): void {
    this.#stdout.write(text)
  }

  line(text = ''): void {
    this.out(`${text}\n`)
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value))
  }

  /** Everything about the results: progress, prices, questions. */
  note(text: string): void {
    this.#stderr.write(`${text}\n`)
  }

  aside(text: string): void {
    this.#stderr.write(text)
  }

  /** What stands there may be drawn over. */
  get isLive(): boolean {
    return this.#mayDecorate && this.#stdout.isTTY === true
  }

  get isAsideLive(): boolean {
    return this.#mayDecorate && this.#stderr.isTTY === true
  }

  get columns(): number {
    return this.#stdout.columns ?? USUAL_COLUMNS
  }

  get asideColumns(): number {
    return this.#stderr.columns ?? USUAL_COLUMNS
  }

  get rows(): number {
    return this.#stdout.rows ?? USUAL_ROWS
  }

  /** Tables for programs are as wide as they are. */
  get tableWidth(): number {
    return this.#stdout.isTTY === true ? this.columns : Number.POSITIVE_INFINITY
  }

  /** The way to stop. */
  onResize(redraw: () => void): () => void {
    this.#stdout.on('resize', redraw)
    return () => this.#stdout.off('resize', redraw)
  }

  get paint(): Paint {
    return this.isLive ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text
  }

  /** Whether to go on. Without anybody to ask, `--yes` must have said so. */
  async confirm(question: string, isYes: boolean, signal: AbortSignal): Promise<boolean> {
    if (isYes) return true
    if (this.stdin.isTTY !== true) throw new WrongUse(`${question} Nobody can be asked here: say --yes to go on.`)
    const asking = createInterface({ input: this.stdin, output: this.#stderr })
    return /^y(es)?$/i.test(await answerTo(asking, `${question} [y/N] `, signal))
  }

  /** One line that is not shown while it is typed. */
  async secret(prompt: string, signal: AbortSignal): Promise<string> {
    const isTyped = this.stdin.isTTY === true
    if (isTyped) this.aside(prompt)
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const asking = createInterface({ input: this.stdin, output: nowhere, terminal: isTyped })
    try {
      return await answerTo(asking, '', signal)
    } finally {
      if (isTyped) this.note('')
    }
  }
}

/** What is typed on one line; nothing when the input ends instead. */
async function answerTo(asking: Interface, question: string, signal: AbortSignal): Promise<string> {
  const { promise: ended, resolve: end, reject: interrupt } = Promise.withResolvers<string>()
  asking.once('close', () => end(''))
  // While a line is being typed, Ctrl-C comes as a letter and not as a signal.
  asking.once('SIGINT', () => interrupt(new Interrupted()))
  try {
    return (await Promise.race([asking.question(question, { signal }), ended])).trim()
  } finally {
    asking.close()
  }
}

/** Ctrl-C, or a request to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
