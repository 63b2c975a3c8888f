import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ChildProgram, endProgram, startProgram } from '../child-program.ts'

const MAIN = fileURLToPath(new URL('./sink-main.ts', import.meta.url))

/** A bare server in its own process that takes the place of the service for the generators. */
export class Sink implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProgram

  private constructor(child: ChildProgram, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(host: string): Promise<Sink> {
    const child = startProgram(MAIN, [host])
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    return new Sink(child, Number(line))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProgram(this.#child)
  }
}
