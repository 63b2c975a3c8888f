import { onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'

export interface JsonFrame {
  text: string
  atMs: number
  // biome-ignore lint/suspicious/noExplicitAny: frames are read by key in assertions, which fail on a wrong shape
  json: any
}

/** A WebSocket client that keeps every frame and waits for a given one. */
export class TestClient {
  readonly frames: JsonFrame[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  readonly #socket: WebSocket
  readonly #waiting = new Set<() => void>()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      this.frames.push({ text, atMs: performance.now(), json: jsonIn(text) })
      for (const wake of this.#waiting) wake()
    })
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
  }

  static async open(address: string, options: ClientOptions = {}): Promise<TestClient> {
    const socket = new WebSocket(address, options)
    const client = new TestClient(socket)
    onTestFinished(() => socket.terminate())
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('error', reject)
    })
    return client
  }

  close(): void {
    this.#socket.close()
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  /** The market socket's first frame. */
  subscribe(tokens: readonly string[], more: object = {}): void {
    this.send({ assets_ids: tokens, type: 'market', custom_feature_enabled: true, ...more })
  }

  /** The first frame, from the given position on, that fits; fails after the limit. */
  async frame(what: string, fits: (frame: JsonFrame) => boolean, from = 0, limitMs = 60_000): Promise<JsonFrame> {
    const deadlineMs = performance.now() + limitMs
    for (let position = from; ; ) {
      for (; position < this.frames.length; position++) {
        const frame = this.frames[position]
        if (frame !== undefined && fits(frame)) return frame
      }
      const leftMs = deadlineMs - performance.now()
      if (leftMs <= 0) throw new Error(`no ${what} among ${this.frames.length} frames within ${limitMs} ms`)
      await this.#nextFrame(leftMs)
    }
  }

  /** As `frame`, by the event's type. */
  event(type: string, from = 0, limitMs?: number): Promise<JsonFrame> {
    return this.frame(type, ({ json }) => json?.event_type === type, from, limitMs)
  }

  /** Waits until everything sent before has arrived. */
  async roundTrip(): Promise<void> {
    const from = this.frames.length
    this.send('PING')
    await this.frame('pong', ({ text }) => text === 'PONG', from)
  }

  #nextFrame(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, limitMs)
      this.#waiting.add(wake)
    })
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
