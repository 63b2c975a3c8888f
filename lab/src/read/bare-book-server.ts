import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ChildProgram, endProgram, startProgram } from '../child-program.ts'

export interface BareMarket {
  readonly id: string
  readonly tokenIds: readonly [string, string]
  /** The members of the response that are not books. */
  readonly head: Readonly<Record<string, unknown>>
}

/** The baseline for the live book endpoint, in its own process. */
export class BareBookServer implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProgram

  private constructor(port: number, child: ChildProgram) {
    this.port = port
    this.#child = child
  }

  static async start(redisUrl: string, markets: readonly BareMarket[], folder: string): Promise<BareBookServer> {
    const file = join(folder, 'bare-markets.json')
    await writeFile(file, JSON.stringify(markets))
    const main = fileURLToPath(new URL('./bare-book-main.ts', import.meta.url))
    const child = startProgram(main, [redisUrl, file])
    const lines = createInterface({ input: child.stdout })
    const [port] = (await once(lines, 'line')) as [string]
    return new BareBookServer(Number(port), child)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProgram(this.#child)
  }
}
