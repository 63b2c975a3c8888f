import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ChildProgram, endProgram, startProgram } from '../child-program.ts'

/** The baseline for the fan-out of the gateway, in its own process. */
export class BareFanout implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProgram

  private constructor(port: number, child: ChildProgram) {
    this.port = port
    this.#child = child
  }

  static async start(messageBytes: number, sockets: number): Promise<BareFanout> {
    const main = fileURLToPath(new URL('./bare-fanout-main.ts', import.meta.url))
    const child = startProgram(main, [String(messageBytes), String(sockets)])
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    return new BareFanout(Number(port), child)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProgram(this.#child)
  }
}
