import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type EnginePlan, variablesOf } from '@bookreel/stack/engine-plans'
import { type EngineId, type EngineKind, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import type { StackRecord } from '@bookreel/stack/stack-record'
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import type { EngineAction } from '@bookreel/stack/supervisor-protocol'
import { type FromPool, POOL_PORT } from './pool-messages.ts'

export interface BorrowOptions {
  /** Which engines the borrower may know of; default: the usual four. */
  readonly engines?: readonly EngineKind[]
  /** The port of the pool; default: that of the test run. */
  readonly port?: number
}

/** Undefined outside of a test run. */
const POOL_OF_THIS_RUN = process.env[POOL_PORT] === undefined ? undefined : Number(process.env[POOL_PORT])

/** An empty stack of the pool, for this test file alone until `stop()`. Outside of a test run: a new stack. */
export async function borrowStack(options: BorrowOptions = {}): Promise<Stack> {
  const { engines = USUAL_ENGINES, port = POOL_OF_THIS_RUN } = options
  if (port === undefined) return startStack({ engines })
  const socket = connect(port, '127.0.0.1')
  const loan = new Loan(socket)
  const { dir, record } = await loan.begun
  return lentStack(dir, record, loan, engines)
}

/** The connection to the pool. */
class Loan {
  readonly begun: Promise<FromPool>
  readonly #socket: Socket
  readonly #waiting = new Map<number, PromiseWithResolvers<FromPool>>()
  #lastTicket = 0

  constructor(socket: Socket) {
    this.#socket = socket
    this.begun = this.#answerTo(0)
    createInterface({ input: socket }).on('line', (line) => this.#hear(JSON.parse(line)))
    socket.on('error', (error) => this.#failAll(error))
    socket.once('close', () => this.#failAll(new Error('The pool of stacks has closed the connection')))
  }

  async act(engine: EngineId, action: EngineAction): Promise<StackRecord> {
    const ticket = ++this.#lastTicket
    const answer = this.#answerTo(ticket)
    this.#socket.write(`${JSON.stringify({ ticket, engine, action })}\n`)
    return (await answer).record
  }

  async end(): Promise<void> {
    if (this.#socket.closed) return
    this.#socket.end()
    await once(this.#socket, 'close')
  }

  #answerTo(ticket: number): Promise<FromPool> {
    const answer = Promise.withResolvers<FromPool>()
    answer.promise.catch(() => {})
    this.#waiting.set(ticket, answer)
    return answer.promise
  }

  #hear(message: FromPool): void {
    const answer = this.#waiting.get(message.ticket)
    this.#waiting.delete(message.ticket)
    if (message.failure === undefined) answer?.resolve(message)
    else answer?.reject(new Error(message.failure))
  }

  #failAll(error: Error): void {
    for (const answer of this.#waiting.values()) answer.reject(error)
    this.#waiting.clear()
  }
}

function lentStack(dir: string, first: StackRecord, loan: Loan, engines: readonly EngineKind[]): Stack {
  let record = first
  const isKnown = ({ kind }: EnginePlan): boolean => engines.includes(kind)
  const variables = variablesOf(record.engines.map(({ plan }) => plan).filter(isKnown))
  const act = async (id: EngineId, action: EngineAction): Promise<void> => {
    record = await loan.act(id, action)
  }
  const stop = (): Promise<void> => loan.end()
  return {
    dir,
    variables,
    get record() {
      return record
    },
    variable(name) {
      const value = variables[name]
      if (value === undefined) throw new Error(`This stack has no ${name}`)
      return value
    },
    engine(id) {
      return {
        get pid() {
          const pid = record.engines.find(({ plan }) => plan.id === id)?.process?.pid
          if (pid === undefined) throw new Error(`${id} does not run`)
          return pid
        },
        kill: () => act(id, 'kill'),
        pause: () => act(id, 'pause'),
        resume: () => act(id, 'resume'),
        restart: () => act(id, 'restart'),
      }
    },
    release: () => Promise.reject(new Error('A borrowed stack goes back to its pool')),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
