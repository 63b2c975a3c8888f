import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

const FILE = 'apache.parquet'

/** A line to a server on which files get stuck: the first few pass, of each later one only the beginning. */
export class StalledLine implements AsyncDisposable {
  readonly #server: Server
  readonly #ends = new Set<Socket>()
  /** How often only the rest of a file was asked for. */
  restsAsked = 0
  #wholeFiles: number
  readonly #beginBytes: number

  private constructor(target: number, wholeFiles: number, beginBytes: number) {
    this.#wholeFiles = wholeFiles
    this.#beginBytes = beginBytes
    this.#server = createServer((near) => this.#join(near, connect(target, '127.0.0.1')))
  }

  static async to(
    target: number,
    { wholeFiles, beginBytes }: { wholeFiles: number; beginBytes: number },
  ): Promise<StalledLine> {
    const line = new StalledLine(target, wholeFiles, beginBytes)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  #join(near: Socket, far: Socket): void {
    let left = Number.POSITIVE_INFINITY
    for (const end of [near, far]) {
      this.#ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    near.on('data', (bytes) => {
      this.restsAsked += String(bytes).match(/^range: bytes=[1-9]/gim)?.length ?? 0
    })
    far.on('data', (bytes) => {
      if (bytes.includes(FILE) && this.#wholeFiles-- <= 0) left = this.#beginBytes
      near.write(bytes.subarray(0, Math.max(0, left)))
      left -= bytes.length
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) end.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
