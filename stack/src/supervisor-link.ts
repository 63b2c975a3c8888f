import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { StackRequest } from './engine-plans.ts'
import type { EngineId } from './engines/engine.ts'
import type { StackRecord } from './stack-record.ts'
import type { EngineAction, FromSupervisor, ToSupervisor } from './supervisor-protocol.ts'

/** Our end of the channel to the supervisor of one stack. */
export class SupervisorLink {
  readonly #supervisor: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>()
  readonly #started = Promise.withResolvers<void>()
  #record: StackRecord | undefined
  #lastTicket = 0

  constructor(supervisor: ChildProcess) {
    this.#supervisor = supervisor
    supervisor.on('message', (message: FromSupervisor) => this.#hear(message))
    supervisor.once('exit', () => this.#failAll(new Error('The stack has ended')))
    supervisor.once('error', (error) => this.#failAll(error))
    this.#started.promise.catch(() => {})
  }

  get record(): StackRecord {
    if (!this.#record) throw new Error('The stack has not started yet')
    return this.#record
  }

  send(message: ToSupervisor): void {
    if (this.#supervisor.connected) this.#supervisor.send(message, () => {})
  }

  /** When the start fails the supervisor cleans up and ends by itself; only then does this reject. */
  async start(request: StackRequest): Promise<void> {
    this.send({ type: 'start', request })
    try {
      await this.#started.promise
    } catch (error) {
      await this.#untilExit()
      throw error
    }
  }

  async act(engine: EngineId, action: EngineAction): Promise<void> {
    if (!this.#supervisor.connected) throw new Error('The stack has ended or was released')
    const ticket = ++this.#lastTicket
    const answer = Promise.withResolvers<void>()
    this.#waiting.set(ticket, answer)
    this.send({ type: 'act', ticket, engine, action })
    await answer.promise
  }

  async stop(): Promise<void> {
    this.send({ type: 'stop' })
    await this.#untilExit()
  }

  async release(): Promise<void> {
    const disconnected = once(this.#supervisor, 'disconnect')
    this.send({ type: 'release' })
    await disconnected
    this.#supervisor.unref()
  }

  #hear(message: FromSupervisor): void {
    switch (message.type) {
      case 'ready':
        this.#record = message.record
        this.#started.resolve()
        break
      case 'failed':
        this.#started.reject(new Error(message.reason))
        break
      case 'acted': {
        this.#record = message.record
        const answer = this.#waiting.get(message.ticket)
        this.#waiting.delete(message.ticket)
        if (message.failure) answer?.reject(new Error(message.failure))
        else answer?.resolve()
        break
      }
    }
  }

  #failAll(error: Error): void {
    this.#started.reject(error)
    for (const answer of this.#waiting.values()) answer.reject(error)
    this.#waiting.clear()
  }

  async #untilExit(): Promise<void> {
    if (this.#supervisor.exitCode === null && this.#supervisor.signalCode === null) await once(this.#supervisor, 'exit')
  }
}
