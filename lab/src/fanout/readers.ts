import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ChildProgram, endProgram, startProgram } from '../child-program.ts'
import type { Counted, ReaderOrder } from './reader-orders.ts'

/** Controls readers in their own process. */
export class Readers implements AsyncDisposable {
  readonly #child: ChildProgram
  readonly #lines: Interface

  private constructor(child: ChildProgram, lines: Interface) {
    this.#child = child
    this.#lines = lines
  }

  static async start(): Promise<Readers> {
    const main = fileURLToPath(new URL('./readers-main.ts', import.meta.url))
    const child = startProgram(main, [])
    await once(child, 'spawn')
    return new Readers(child, createInterface({ input: child.stdout }))
  }

  async open(order: Omit<Extract<ReaderOrder, { do: 'open' }>, 'do'>): Promise<void> {
    await this.#order({ do: 'open', ...order })
  }

  /** Counts since the last report. */
  async count(): Promise<Counted> {
    return (await this.#order({ do: 'count' })) as Counted
  }

  async close(): Promise<void> {
    await this.#order({ do: 'close' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProgram(this.#child)
  }

  #order(order: ReaderOrder): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const onEnd = (): void => reject(new Error('the reader process has ended'))
      this.#child.once('exit', onEnd)
      this.#lines.once('line', (line) => {
        this.#child.off('exit', onEnd)
        resolve(JSON.parse(line))
      })
      this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
    })
  }
}
