import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A line to a server that tests can cut, so that clients meet what networks do. */
export class CutLine implements AsyncDisposable {
  readonly #server: Server
  readonly #ends = new Set<Socket>()
  /** Bytes of answers that the next connections let through before they break, one number for each. */
  readonly #cuts: number[] = []
  /** Where it leads. */
  target: number
  isDown = false
  connections = 0

  private constructor(target: number) {
    this.target = target
    this.#server = createServer((near) => this.#join(near))
  }

  static async to(target: number): Promise<CutLine> {
    const line = new CutLine(target)
    await new Promise<void>((resolve) => line.#server.listen(0, '127.0.0.1', resolve))
    return line
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The next connection breaks after so many bytes of its answer. */
  cutNextAfter(bytes: number): void {
    this.#cuts.push(bytes)
  }

  /** Breaks what is open. */
  cut(): void {
    for (const end of this.#ends) end.destroy()
  }

  #join(near: Socket): void {
    this.connections++
    if (this.isDown) {
      near.destroy()
      return
    }
    const far = connect(this.target, '127.0.0.1')
    let left = this.#cuts.shift() ?? Number.POSITIVE_INFINITY
    for (const end of [near, far]) {
      this.#ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        this.#ends.delete(end)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.on('data', (bytes) => {
      near.write(bytes.subarray(0, left))
      left -= bytes.length
      // The rest has been sent by the server, which therefore takes it for delivered.
      if (left <= 0) near.end(() => near.destroy())
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
