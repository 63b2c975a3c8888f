import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpClient } from '../http-client.ts'
import { freePort, ServiceProcess } from '../service-process.ts'

const OPEN_WITHIN_S = 60
/** What it says to a request that is no WebSocket. */
const UPGRADE_REQUIRED = 426

/** The role gateway in a process of its own; it comes back at the same address. */
export class GatewayProcess implements AsyncDisposable {
  readonly port: number
  readonly #start: () => Promise<ServiceProcess>
  #process: ServiceProcess

  private constructor(port: number, start: () => Promise<ServiceProcess>, process: ServiceProcess) {
    this.port = port
    this.#start = start
    this.#process = process
  }

  static async start(
    environment: Readonly<Record<string, string>>,
    folder: string,
    client: HttpClient,
  ): Promise<GatewayProcess> {
    const port = await freePort()
    const start = () => ServiceProcess.start('gateway', { ...environment, GATEWAY_PORT: String(port) }, folder)
    const gateway = new GatewayProcess(port, start, await start())
    await gateway.#untilOpen(client)
    return gateway
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]()
  }

  async #untilOpen(client: HttpClient): Promise<void> {
    for (let tries = 0; tries < OPEN_WITHIN_S * 10; tries++) {
      const reply = await client.ask({ port: this.port, path: '/', timeoutMs: 2_000 }).catch(() => undefined)
      if (reply?.status === UPGRADE_REQUIRED) return
      await sleep(100)
    }
    await this[Symbol.asyncDispose]()
    throw new Error(`the gateway on port ${this.port} was not open within ${OPEN_WITHIN_S} s`)
  }
}

export function streamUrl(port: number): string {
  return `ws://127.0.0.1:${port}/v1/stream`
}
