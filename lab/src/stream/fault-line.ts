import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from '@bookreel/simulator/world/random'

interface Line {
  readonly near: Socket
  readonly far: Socket
  /** Drops all data without closing the connection. */
  isDeaf: boolean
}

/** A proxy between clients and a server that can break, stall and silence connections. */
export class FaultLine implements AsyncDisposable {
  readonly #server: Server
  readonly #lines = new Set<Line>()
  readonly #draw: Random

  private constructor(target: number, draw: Random) {
    this.#draw = draw
    this.#server = createServer((near) => this.#join(near, connect(target, '127.0.0.1')))
  }

  static async to(target: number, draw: Random): Promise<FaultLine> {
    const line = new FaultLine(target, draw)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes connections at both ends; returns their number. */
  cut(share: number): number {
    const chosen = this.#choose(share)
    for (const { near, far } of chosen) {
      near.destroy()
      far.destroy()
    }
    return chosen.length
  }

  /** Delays all data for that time. */
  stall(share: number, ms: number): number {
    const chosen = this.#choose(share)
    const ends = chosen.flatMap(({ near, far }) => [near, far])
    for (const end of ends) end.pause()
    setTimeout(() => {
      for (const end of ends) end.resume()
    }, ms)
    return chosen.length
  }

  /** Makes connections half-open: neither end notices. */
  deafen(share: number): number {
    const chosen = this.#choose(share)
    for (const line of chosen) line.isDeaf = true
    return chosen.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut(1)
    for (const { near, far } of this.#lines) {
      near.destroy()
      far.destroy()
    }
    await closed
  }

  #choose(share: number): Line[] {
    return [...this.#lines].filter(({ isDeaf }) => !isDeaf && this.#draw.chance(share))
  }

  #join(near: Socket, far: Socket): void {
    const line: Line = { near, far, isDeaf: false }
    this.#lines.add(line)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => {})
      from.on('data', (bytes) => {
        if (!line.isDeaf && !to.destroyed) to.write(bytes)
      })
      from.on('close', () => {
        // A silenced connection does not pass on a close either.
        if (!line.isDeaf) to.destroy()
        if (near.destroyed && far.destroyed) this.#lines.delete(line)
      })
    }
  }
}
