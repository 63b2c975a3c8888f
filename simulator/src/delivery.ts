import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { FRAME_FAULT_NAMES, FRAME_FAULTS } from './faults/frame-faults.ts'
import type { Feed, Switchboard } from './faults/switchboard.ts'

/** One client's socket, with everything that can go wrong on the way to it. */
export class Delivery {
  readonly id: string
  readonly feed: Feed
  readonly #socket: WebSocket
  readonly #stream: Duplex
  readonly #faults: Switchboard
  #frozen: string[] = []
  #overtaken: string[] = []
  framesSent = 0

  constructor(id: string, feed: Feed, socket: WebSocket, stream: Duplex, faults: Switchboard) {
    this.id = id
    this.feed = feed
    this.#socket = socket
    this.#stream = stream
    this.#faults = faults
    // A client that vanishes is an ordinary end, seen by the close event that follows.
    socket.on('error', () => {})
  }

  onText(take: (text: string) => void): void {
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) take(data.toString())
    })
  }

  onClose(take: () => void): void {
    this.#socket.once('close', take)
  }

  /** A frame of data, about one market unless none is named. */
  send(text: string, market?: string): void {
    if (this.#faults.isQuiet) this.#put(text)
    else for (const bent of this.#bend(text, market)) this.#put(bent)
  }

  /** An answer to a ping or a request, which most faults leave alone. */
  reply(text: string): void {
    if (!this.#faults.isQuiet && this.#faults.strike('half-open', this.#occasion(undefined))) return
    this.#put(text)
  }

  close(code: number, reason: string): void {
    if (code === 1006) this.#socket.terminate()
    else this.#socket.close(code, reason)
  }

  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  /** Lets go of what a freeze has held back, all at once. */
  thaw(): void {
    const held = this.#frozen
    this.#frozen = []
    for (const text of held) this.#put(text)
  }

  /** Frames between cork and uncork leave in one write. */
  cork(): void {
    this.#stream.cork()
  }

  uncork(): void {
    this.#stream.uncork()
  }

  #put(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.framesSent++
    this.#socket.send(text)
  }

  #occasion(market: string | undefined): { feed: Feed; connection: string; market: string | undefined } {
    return { feed: this.feed, connection: this.id, market }
  }

  #bend(text: string, market: string | undefined): string[] {
    const occasion = this.#occasion(market)
    if (this.#faults.strike('mute', occasion) || this.#faults.strike('half-open', occasion)) return []
    if (this.#faults.strike('freeze', occasion)) {
      this.#frozen.push(text)
      return []
    }
    let frames = [text]
    for (const name of FRAME_FAULT_NAMES) {
      if (this.#faults.strike(name, occasion)) {
        frames = frames.flatMap((frame) => FRAME_FAULTS[name](frame, this.#faults.draw))
      }
    }
    if (this.#overtaken.length > 0) {
      frames.push(...this.#overtaken)
      this.#overtaken = []
    } else if (this.#faults.strike('reorder', occasion)) {
      this.#overtaken = frames
      return []
    }
    return frames
  }
}
