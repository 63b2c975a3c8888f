/** The identity of a data frame, and its bytes without the sending time. */
export interface FrameText {
  readonly market: string
  readonly channel: 'book' | 'bbo'
  readonly type: string
  /** The slot; of a gap the first one. */
  readonly seq: number
  readonly text: string
}

const HEAD = /^\{"channel":"(book|bbo)","type":"(\w+)","market":"([^"]+)","(?:seq|from_seq)":(\d+)/
const SENT_AT = '"sent_at":'
const HEAD_LENGTH = 200

/** Undefined for frames that are not books: replies and connection notices. */
export function readFrameText(bytes: Buffer): FrameText | undefined {
  const all = bytes.toString('latin1')
  const head = HEAD.exec(all.slice(0, HEAD_LENGTH))
  const found = head === null ? slowly(all) : { channel: head[1], type: head[2], market: head[3], seq: Number(head[4]) }
  if (found === undefined || (found.channel !== 'book' && found.channel !== 'bbo')) return undefined
  const { channel, type = '', market = '', seq } = found
  return { channel, type, market, seq, text: withoutSentAt(all) }
}

/** Reads members in any order, because their order is not guaranteed. */
function slowly(text: string): { channel?: string; type?: string; market?: string; seq: number } | undefined {
  const frame = JSON.parse(text) as {
    channel?: string
    type?: string
    market?: string
    seq?: number
    from_seq?: number
  }
  const { channel, type, market, seq = frame.from_seq } = frame
  if (channel === undefined || type === undefined || market === undefined || seq === undefined) return undefined
  return { channel, type, market, seq }
}

function withoutSentAt(text: string): string {
  const from = text.indexOf(SENT_AT)
  if (from < 0) return text
  let to = from + SENT_AT.length
  while (text.charCodeAt(to) >= 48 && text.charCodeAt(to) <= 57) to++
  return text.slice(0, from) + text.slice(to)
}
