import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy whose connections tests can break. */
export class BreakingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** For each of the next connections: how many response bytes pass before it breaks. */
  readonly #byteLimits: number[] = []
  /** Port of the server behind the proxy. */
  target: number
  isDown = false
  connections = 0

  private constructor(target: number) {
    this.target = target
    this.#server = createServer((client) => this.#join(client))
  }

  static async to(target: number): Promise<BreakingProxy> {
    const proxy = new BreakingProxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Breaks the next connection after that many bytes of its response. */
  breakNextAfter(bytes: number): void {
    this.#byteLimits.push(bytes)
  }

  /** Breaks all open connections. */
  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket): void {
    this.connections++
    if (this.isDown) {
      client.destroy()
      return
    }
    const upstream = connect(this.target, '127.0.0.1')
    let left = this.#byteLimits.shift() ?? Number.POSITIVE_INFINITY
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      client.write(bytes.subarray(0, left))
      left -= bytes.length
      // The server has sent the rest and therefore assumes that it was delivered.
      if (left <= 0) client.end(() => client.destroy())
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.breakAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
