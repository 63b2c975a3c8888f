import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection to a store that can be cut for one node alone. */
export class StoreLine implements AsyncDisposable {
  readonly url: string
  readonly #server: ReturnType<typeof createServer>
  readonly #sockets = new Set<Socket>()
  #isCut = false

  private constructor(url: string, server: ReturnType<typeof createServer>) {
    this.url = url
    this.#server = server
  }

  static async to(address: string): Promise<StoreLine> {
    const target = new URL(address)
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const near = new URL(address)
    near.port = String((server.address() as AddressInfo).port)
    const line = new StoreLine(near.href, server)
    server.on('connection', (socket) => line.#join(socket, connect(Number(target.port), '127.0.0.1')))
    return line
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
  }

  #join(here: Socket, there: Socket): void {
    for (const socket of [here, there]) {
      this.#sockets.add(socket)
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    }
    if (this.#isCut) return void [here, there].map((socket) => socket.destroy())
    here.pipe(there).pipe(here)
  }
}
