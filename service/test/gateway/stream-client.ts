import { once } from 'node:events'
import { expect, vi } from 'vitest'
import { WebSocket } from 'ws'
import { ServerFrame } from '../../src/gateway/protocol/protocol.ts'

// biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its reply.
export type AnyFrame = any

const PATIENCE = { timeout: 120_000, interval: 20 }

/** A client written from the documentation; it validates every frame against the published schema. */
export class StreamClient {
  readonly socket: WebSocket
  readonly frames: AnyFrame[] = []
  closed: { code: number; reason: string } | undefined
  #nextId = 1

  constructor(url: string, options: { key?: string; headers?: Record<string, string>; isSimple?: boolean } = {}) {
    const headers = { ...(options.key !== undefined && { 'x-api-key': options.key }), ...options.headers }
    this.socket = new WebSocket(url, { headers, perMessageDeflate: false })
    this.socket.on('error', () => {})
    this.socket.on('message', (data) => {
      const frame = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')
      this.frames.push(frame)
      if (options.isSimple) return
      const read = ServerFrame.safeParse(frame)
      if (!read.success) this.frames.push({ type: 'NOT A FRAME', frame, why: read.error.message })
    })
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) }
    })
  }

  static async open(url: string, key: string): Promise<StreamClient> {
    const client = new StreamClient(url, { key })
    await client.until(({ type }) => type === 'welcome')
    return client
  }

  send(frame: Record<string, unknown>): number {
    const id = this.#nextId++
    this.socket.send(JSON.stringify({ id, ...frame }))
    return id
  }

  /** The reply to a frame, a confirmation or an error. */
  async ask(frame: Record<string, unknown>): Promise<AnyFrame> {
    const id = this.send(frame)
    return this.until((each) => each.id === id)
  }

  async until(isIt: (frame: AnyFrame) => boolean): Promise<AnyFrame> {
    return vi
      .waitUntil(() => this.frames.find(isIt), PATIENCE)
      .catch(() => {
        throw new Error(
          `no such frame among ${this.frames.length}: ${JSON.stringify(this.frames.slice(-8)).slice(0, 2_000)}`,
        )
      })
  }

  async untilClosed(): Promise<{ code: number; reason: string }> {
    return vi.waitUntil(() => this.closed, PATIENCE)
  }

  /** Frames of one channel, in order of arrival. */
  of(channel: string, market?: string): AnyFrame[] {
    return this.frames.filter((each) => each.channel === channel && (market === undefined || each.market === market))
  }

  /** Waits until a frame of the channel and market has this number. */
  async seq(channel: string, market: string, seq: number): Promise<void> {
    await this.until((each) => each.channel === channel && each.market === market && each.seq === seq)
  }

  expectOnlyFrames(): void {
    expect(this.frames.filter(({ type }) => type === 'NOT A FRAME')).toEqual([])
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    this.socket.close()
    await once(this.socket, 'close')
  }
}
