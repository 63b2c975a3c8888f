import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { StackRequest } from './engine-plans.ts'
import type { EngineId } from './engines/engine.ts'
import type { StackRecord } from './stack-record.ts'
import type { EngineAction, FromSupervisor, ToSupervisor } from './supervisor-protocol.ts'

/** Connection to the supervisor of one stack. */
export class SupervisorLink {
  readonly #supervisor: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<void>>()
  readonly #started = Promise.withResolvers<void>()
  #record: StackRecord | undefined
  #lastRequestId = 0

  constructor(supervisor: ChildProcess) {
    this.#supervisor = supervisor
    supervisor.on('message', (message: FromSupervisor) => this.#receive(message))
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

  /** When the start fails, this rejects after the supervisor has cleaned up and exited. */
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
    if (!this.#supervisor.connected)
      throw new Error('The stack has ended, or was released and can only be stopped with stopStack')
    const requestId = ++this.#lastRequestId
    const reply = Promise.withResolvers<void>()
    this.#pending.set(requestId, reply)
    this.send({ type: 'act', requestId, engine, action })
    await reply.promise
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

  #receive(message: FromSupervisor): void {
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
        const reply = this.#pending.get(message.requestId)
        this.#pending.delete(message.requestId)
        if (message.failure) reply?.reject(new Error(message.failure))
        else reply?.resolve()
        break
      }
    }
  }

  #failAll(error: Error): void {
    this.#started.reject(error)
    for (const reply of this.#pending.values()) reply.reject(error)
    this.#pending.clear()
  }

  async #untilExit(): Promise<void> {
    if (this.#supervisor.exitCode === null && this.#supervisor.signalCode === null) await once(this.#supervisor, 'exit')
  }
}
