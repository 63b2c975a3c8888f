/** The length of a frame is in its first bytes; frames of a server are not masked. */
const LENGTH_16 = 126
const LENGTH_64 = 127
const OPCODE = 0x0f
const CLOSE = 0x8
const PING = 0x9
const SENT_AT = Buffer.from('"sent_at":')
/** The sending time is near the beginning; the rest is not searched. */
const LOOKED_AT_BYTES = 400

export interface Scanned {
  /** `sentAtMs` is NaN for a message without it. */
  message(sentAtMs: number, bytes: number): void
  ping(payload: Buffer): void
  close(code: number): void
}

/** Reads WebSocket frames of one socket and only their sending times, to make the client as cheap as possible. */
export class FrameScanner {
  readonly #scanned: Scanned
  #rest: Buffer = Buffer.alloc(0)

  constructor(scanned: Scanned) {
    this.#scanned = scanned
  }

  take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    for (let end = this.#frame(bytes, at); end !== undefined; end = this.#frame(bytes, at)) at = end
    this.#rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at))
  }

  /** The end of the frame that begins at the offset; undefined while it is incomplete. */
  #frame(bytes: Buffer, at: number): number | undefined {
    if (bytes.length < at + 2) return undefined
    const short = bytes.readUInt8(at + 1)
    const headBytes = short === LENGTH_64 ? 10 : short === LENGTH_16 ? 4 : 2
    if (bytes.length < at + headBytes) return undefined
    const length =
      short === LENGTH_64
        ? Number(bytes.readBigUInt64BE(at + 2))
        : short === LENGTH_16
          ? bytes.readUInt16BE(at + 2)
          : short
    const from = at + headBytes
    const end = from + length
    if (bytes.length < end) return undefined
    const opcode = bytes.readUInt8(at) & OPCODE
    if (opcode === PING) this.#scanned.ping(bytes.subarray(from, end))
    else if (opcode === CLOSE) this.#scanned.close(length >= 2 ? bytes.readUInt16BE(from) : 0)
    else this.#scanned.message(sentAtIn(bytes, from, Math.min(end, from + LOOKED_AT_BYTES)), length)
    return end
  }
}

function sentAtIn(bytes: Buffer, from: number, to: number): number {
  const found = bytes.subarray(from, to).indexOf(SENT_AT)
  if (found < 0) return Number.NaN
  let value = 0
  for (let at = from + found + SENT_AT.length; at < to; at++) {
    const digit = bytes.readUInt8(at) - 48
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  return value
}
