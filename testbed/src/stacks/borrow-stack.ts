import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type EngineId, type EngineKind, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import type { StackRecord } from '@bookreel/stack/stack-record'
import { type Stack, type StackControl, stackOver, startStack } from '@bookreel/stack/start-stack'
import type { EngineAction } from '@bookreel/stack/supervisor-protocol'
import { type FromPool, POOL_PORT } from './pool-messages.ts'

export interface BorrowOptions {
  /** Engines whose variables the borrower gets; default: `USUAL_ENGINES`. */
  readonly engines?: readonly EngineKind[]
  /** The port of the pool; default: that of the test run. */
  readonly port?: number
}

/** Undefined outside of a test run. */
const POOL_OF_THIS_RUN = process.env[POOL_PORT] === undefined ? undefined : Number(process.env[POOL_PORT])

/** Borrows an empty stack from the pool for this test file until `stop()`. Outside a test run it starts a new stack. */
export async function borrowStack(options: BorrowOptions = {}): Promise<Stack> {
  const { engines = USUAL_ENGINES, port = POOL_OF_THIS_RUN } = options
  if (port === undefined) return startStack({ engines })
  const loan = new Loan(connect(port, '127.0.0.1'))
  return stackOver(await loan.begun, loan, engines)
}

/** The connection to the pool. */
class Loan implements StackControl {
  /** Resolves with the folder of the stack. */
  readonly begun: Promise<string>
  readonly #socket: Socket
  readonly #waiting = new Map<number, PromiseWithResolvers<FromPool>>()
  #lastTicket = 0
  #record: StackRecord | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.begun = this.#replyTo(0).then(({ dir }) => dir)
    this.begun.catch(() => {})
    createInterface({ input: socket }).on('line', (line) => this.#receive(JSON.parse(line)))
    socket.on('error', (error) => this.#failAll(error))
    socket.once('close', () => this.#failAll(new Error('The stack pool closed the connection')))
  }

  get record(): StackRecord {
    if (this.#record === undefined) throw new Error('The stack pool has not lent a stack yet')
    return this.#record
  }

  async act(engine: EngineId, action: EngineAction): Promise<void> {
    const ticket = ++this.#lastTicket
    const answer = this.#replyTo(ticket)
    this.#socket.write(`${JSON.stringify({ ticket, engine, action })}\n`)
    await answer
  }

  release(): Promise<void> {
    return Promise.reject(new Error('A borrowed stack cannot be released: it returns to its pool'))
  }

  async stop(): Promise<void> {
    if (this.#socket.closed) return
    this.#socket.end()
    await once(this.#socket, 'close')
  }

  #replyTo(ticket: number): Promise<FromPool> {
    const answer = Promise.withResolvers<FromPool>()
    answer.promise.catch(() => {})
    this.#waiting.set(ticket, answer)
    return answer.promise
  }

  #receive(message: FromPool): void {
    const answer = this.#waiting.get(message.ticket)
    this.#waiting.delete(message.ticket)
    if (message.record !== undefined) this.#record = message.record
    if (message.failure === undefined) answer?.resolve(message)
    else answer?.reject(new Error(message.failure))
  }

  #failAll(error: Error): void {
    for (const answer of this.#waiting.values()) answer.reject(error)
    this.#waiting.clear()
  }
}
