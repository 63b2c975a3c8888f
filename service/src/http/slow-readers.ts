import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ReadingLimits {
  /** Seconds for which bytes of an answer may wait for their reader, beside the time for those that it has read. */
  readonly unreadSeconds: number
  readonly minBytesPerSecond: number
}

export const READING_LIMITS: ReadingLimits = { unreadSeconds: 30, minBytesPerSecond: 16 * 1024 }

interface Answer {
  readonly socket: Socket
  /** What earlier answers of the connection have sent. */
  readonly sentBefore: number
  waitedSeconds: number
}

/**
 * Finds readers that are slower than the slowest allowed line. A proxy can only limit the time without any byte; behind
 * one that does not store answers, its own reading is as slow as that of its client.
 */
export class SlowReaders {
  readonly #limits: ReadingLimits
  readonly #cut: (socket: Socket) => void
  readonly #answers = new Set<Answer>()

  constructor(limits: ReadingLimits, cut: (socket: Socket) => void) {
    this.#limits = limits
    this.#cut = cut
  }

  /** Call it before the answer begins. */
  add(response: ServerResponse): void {
    const { socket } = response
    if (socket === null) return
    const answer = { socket, sentBefore: sentBytes(socket), waitedSeconds: 0 }
    this.#answers.add(answer)
    response.once('close', () => this.#answers.delete(answer))
  }

  /** Call it every second; a pause of the process is then no time of its readers. */
  sweep(): void {
    const { unreadSeconds, minBytesPerSecond } = this.#limits
    for (const answer of this.#answers) {
      const { socket, sentBefore } = answer
      if (socket.writableLength === 0) continue
      answer.waitedSeconds++
      const readBytes = sentBytes(socket) - sentBefore
      if (answer.waitedSeconds > unreadSeconds + readBytes / minBytesPerSecond) this.#cut(socket)
    }
  }
}

/**
 * Bytes that the operating system has accepted. The public counters take a write for one piece, which waits until all of
 * it was accepted, so this asks the handle, as Node.js does for the time-out of a socket.
 */
function sentBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: { bytesWritten: number; writeQueueSize: number } | null }
  return handle === null ? socket.bytesWritten : handle.bytesWritten - handle.writeQueueSize
}
