import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@bookreel/testbed/free-port'
import type { HttpClient } from './http-client.ts'
import { ServiceProcess } from './service-process.ts'

const OPEN_WITHIN_S = 180

/** Where a role takes its port from, and what it answers as soon as it can be used. */
const DOORS = {
  api: { variable: 'HTTP_PORT', path: '/health/ready', status: 200 },
  // To a request that is no WebSocket.
  gateway: { variable: 'GATEWAY_PORT', path: '/', status: 426 },
}

/** A role that others connect to, in a process of its own; it comes back at the same address. */
export class ListeningProcess implements AsyncDisposable {
  readonly role: keyof typeof DOORS
  readonly port: number
  readonly #start: () => Promise<ServiceProcess>
  #process: ServiceProcess

  private constructor(
    role: keyof typeof DOORS,
    port: number,
    start: () => Promise<ServiceProcess>,
    process: ServiceProcess,
  ) {
    this.role = role
    this.port = port
    this.#start = start
    this.#process = process
  }

  static async start(
    role: keyof typeof DOORS,
    environment: Readonly<Record<string, string>>,
    folder: string,
  ): Promise<ListeningProcess> {
    const port = await freePort()
    const start = () => ServiceProcess.start(role, { ...environment, [DOORS[role].variable]: String(port) }, folder)
    return new ListeningProcess(role, port, start, await start())
  }

  get pid(): number {
    return this.#process.pid
  }

  /** The sum of a metric over its labels; undefined while the process does not answer. */
  metric(name: string): Promise<number | undefined> {
    return this.#process.metric(name)
  }

  kill(): Promise<void> {
    return this.#process.kill()
  }

  async restart(): Promise<void> {
    this.#process = await this.#start()
  }

  async untilOpen(client: HttpClient): Promise<void> {
    const { path, status } = DOORS[this.role]
    for (let tries = 0; tries < OPEN_WITHIN_S * 10; tries++) {
      if (this.#process.hasEnded) throw new Error(`the role ${this.role} has ended; its log says why`)
      const reply = await client.ask({ port: this.port, path, timeoutMs: 2_000 }).catch(() => undefined)
      if (reply?.status === status) return
      await sleep(100)
    }
    throw new Error(`the role ${this.role} on port ${this.port} was not open within ${OPEN_WITHIN_S} s`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]()
  }
}
