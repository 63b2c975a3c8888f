import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

const FILE = 'apache.parquet'

/** A TCP proxy that lets the first few files pass and stalls each later one after its first bytes. */
export class StallingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Number of range requests for the rest of a file. */
  rangeRequests = 0
  #wholeFiles: number
  readonly #firstBytes: number

  private constructor(target: number, wholeFiles: number, firstBytes: number) {
    this.#wholeFiles = wholeFiles
    this.#firstBytes = firstBytes
    this.#server = createServer((client) => this.#join(client, connect(target, '127.0.0.1')))
  }

  static async to(
    target: number,
    { wholeFiles, firstBytes }: { wholeFiles: number; firstBytes: number },
  ): Promise<StallingProxy> {
    const proxy = new StallingProxy(target, wholeFiles, firstBytes)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  #join(client: Socket, upstream: Socket): void {
    let left = Number.POSITIVE_INFINITY
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    client.on('data', (bytes) => {
      this.rangeRequests += String(bytes).match(/^range: bytes=[1-9]/gim)?.length ?? 0
    })
    upstream.on('data', (bytes) => {
      if (bytes.includes(FILE) && this.#wholeFiles-- <= 0) left = this.#firstBytes
      client.write(bytes.subarray(0, Math.max(0, left)))
      left -= bytes.length
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
