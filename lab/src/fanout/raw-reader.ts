import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { FrameScanner } from './frame-scanner.ts'

export interface ReaderEvents {
  message(sentAtMs: number, bytes: number): void
}

export interface ReaderPlace {
  readonly port: number
  readonly key: string
  readonly subscribe: string
  readonly isStopped: boolean
}

const HEAD_END = '\r\n\r\n'
const [TEXT, PONG] = [0x81, 0x8a]
const MASKED = 0x80
const LENGTH_16 = 126

/** A minimal WebSocket client on a TCP socket. */
export class RawReader {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Opens a connection, and subscribes if requested. */
  static async open({ port, key, subscribe, isStopped }: ReaderPlace, events: ReaderEvents): Promise<RawReader> {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    socket.write(
      `GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-API-Key: ${key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==${HEAD_END}`,
    )
    const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown]
    if (!Buffer.isBuffer(first) || !first.toString('latin1').startsWith('HTTP/1.1 101')) {
      socket.destroy()
      throw new Error(
        `the stream was not opened: ${Buffer.isBuffer(first) ? first.toString('latin1', 0, 200) : 'closed'}`,
      )
    }
    if (subscribe !== '') socket.write(maskedFrame(TEXT, Buffer.from(subscribe)))
    const scanner = new FrameScanner({
      message: (sentAtMs, bytes) => events.message(sentAtMs, bytes),
      ping: (payload) => socket.write(maskedFrame(PONG, payload)),
      close: () => socket.end(),
    })
    if (isStopped) socket.pause()
    else {
      scanner.take(first.subarray(first.indexOf(HEAD_END) + HEAD_END.length))
      socket.on('data', (chunk) => scanner.take(chunk))
    }
    return new RawReader(socket)
  }

  get ended(): Promise<unknown> {
    return this.#socket.closed ? Promise.resolve() : once(this.#socket, 'close')
  }

  async close(): Promise<void> {
    const { ended } = this
    this.#socket.destroy()
    await ended
  }
}

/** A mask of zeros is valid and leaves the bytes unchanged. */
function maskedFrame(first: number, payload: Buffer): Buffer {
  const isShort = payload.length < LENGTH_16
  const head = Buffer.alloc(isShort ? 6 : 8)
  head.writeUInt8(first, 0)
  head.writeUInt8(MASKED | (isShort ? payload.length : LENGTH_16), 1)
  if (!isShort) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}
