import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What our fan-out is measured against, in a process of its own. */
export class BareFanout implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(port: number, child: ChildProcess) {
    this.port = port
    this.#child = child
  }

  static async start(messageBytes: number, sockets: number): Promise<BareFanout> {
    const main = fileURLToPath(new URL('./bare-fanout-main.ts', import.meta.url))
    const child = spawn(process.execPath, [main, String(messageBytes), String(sockets)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    return new BareFanout(Number(port), child)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await ended
  }
}
