const TEXT_FRAME = 0x81
const SHORT = 126
const LONG = 127
const MOST_IN_TWO_BYTES = 0xffff

/** The bytes before an unmasked text frame of the WebSocket protocol. */
export function frameHead(length: number): Buffer {
  if (length < SHORT) return Buffer.from([TEXT_FRAME, length])
  if (length <= MOST_IN_TWO_BYTES) return Buffer.from([TEXT_FRAME, SHORT, length >> 8, length & 0xff])
  const head = Buffer.alloc(10)
  head.writeUInt8(TEXT_FRAME, 0)
  head.writeUInt8(LONG, 1)
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}
