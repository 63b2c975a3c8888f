import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@bookreel/testbed/free-port'
import type { HttpClient } from './http-client.ts'
import { ServiceProcess, type ServiceProcessOptions } from './service-process.ts'

const OPEN_WITHIN_S = 180

/** The port variable of a role, and the response that shows that it is ready. */
const ENDPOINTS = {
  api: { variable: 'HTTP_PORT', path: '/health/ready', status: 200 },
  // The response to a request that is not a WebSocket upgrade.
  gateway: { variable: 'GATEWAY_PORT', path: '/', status: 426 },
}

/** A role that accepts connections, in its own process; it restarts on the same port. */
export class ListeningProcess implements AsyncDisposable {
  readonly role: keyof typeof ENDPOINTS
  readonly port: number
  readonly #start: () => Promise<ServiceProcess>
  #process: ServiceProcess

  private constructor(
    role: keyof typeof ENDPOINTS,
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
    role: keyof typeof ENDPOINTS,
    environment: Readonly<Record<string, string>>,
    folder: string,
    { port: given, ...options }: ServiceProcessOptions & { readonly port?: number } = {},
  ): Promise<ListeningProcess> {
    const port = given ?? (await freePort())
    const settings = { ...environment, [ENDPOINTS[role].variable]: String(port) }
    const start = () => ServiceProcess.start(role, settings, folder, options)
    return new ListeningProcess(role, port, start, await start())
  }

  get pid(): number {
    return this.#process.pid
  }

  /** The sum of a metric over its labels; undefined while the process does not answer. */
  metric(name: string): Promise<number | undefined> {
    return this.#process.metric(name)
  }

  /** Asks the preloaded module, which answers with one message. */
  ask(message: Record<string, unknown>): Promise<unknown> {
    return this.#process.ask(message)
  }

  kill(): Promise<void> {
    return this.#process.kill()
  }

  async restart(): Promise<void> {
    this.#process = await this.#start()
  }

  async untilOpen(client: HttpClient): Promise<void> {
    const { path, status } = ENDPOINTS[this.role]
    for (let tries = 0; tries < OPEN_WITHIN_S * 10; tries++) {
      if (this.#process.hasEnded) throw new Error(`the role ${this.role} has ended; see its log`)
      const reply = await client.ask({ port: this.port, path, timeoutMs: 2_000 }).catch(() => undefined)
      if (reply?.status === status) return
      await sleep(100)
    }
    throw new Error(`the role ${this.role} on port ${this.port} was not ready within ${OPEN_WITHIN_S} s`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]()
  }
}
