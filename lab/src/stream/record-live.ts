import { setTimeout as sleep } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'
import type { FrameLog } from './frame-log.ts'
import { type FrameText, readFrameText } from './frame-text.ts'

export interface LiveMarket {
  readonly id: string
  readonly intervalMs: number
}

export interface LiveRecording {
  /** The slot of the first received frame of each market. */
  readonly firstSlots: ReadonlyMap<string, number>
  /** Books of all markets. */
  readonly rows: number
  /** Slots skipped because this client was too slow. */
  readonly skipped: number
  stop(): Promise<void>
}

/** Offset at which all rows of one slot are sent and none of the next. */
const BETWEEN_SLOTS_MS = 120

/** Subscribes between two slots, right after a slot that all plans share, and records until the given end. */
export async function recordLive(
  { url, key }: { url: string; key: string },
  markets: readonly LiveMarket[],
  log: FrameLog,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<LiveRecording> {
  const intervals = new Map(markets.map(({ id, intervalMs }) => [id, intervalMs]))
  const firstSlots = new Map<string, number>()
  const socket = await openStream(url, key)
  const recording = { firstSlots, rows: 0, skipped: 0, stop: () => closeStream(socket) }
  /** Gaps are sent before the next row, which decides whether they belong to the range. */
  const waiting = new Map<string, FrameText[]>()
  const lastSlots = new Map<string, number>()
  const isInside = (market: string, slot: number): boolean => slot * (intervals.get(market) ?? 0) < toMs
  const take = (frame: FrameText): void => {
    const { market, channel, type, seq } = frame
    if (type === 'skipped') recording.skipped++
    else if (type === 'gap' && channel === 'book') waiting.set(market, [...(waiting.get(market) ?? []), frame])
    else if (channel === 'bbo') {
      // Such a frame follows the book of the same slot, and so do its gaps.
      if (isInside(market, lastSlots.get(market) ?? 0)) log.record(frame)
    } else {
      lastSlots.set(market, seq)
      if (!firstSlots.has(market)) firstSlots.set(market, seq)
      const gaps = waiting.get(market) ?? []
      waiting.delete(market)
      if (!isInside(market, seq)) return
      recording.rows++
      for (const gap of gaps) log.record(gap)
      log.record(frame)
    }
  }
  socket.on('message', (data: RawData) => {
    const frame = Buffer.isBuffer(data) ? readFrameText(data) : undefined
    if (frame !== undefined) take(frame)
  })
  await sleep(Math.max(0, fromMs + BETWEEN_SLOTS_MS - Date.now()))
  const selectors = markets.map(({ id }) => ({ market: id }))
  await askStream(socket, { op: 'subscribe', selectors, channels: ['book', 'bbo'] })
  return recording
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape of its reply.
type Answer = any

const ANSWER_WITHIN_MS = 120_000

/** Opens a connection and waits for the welcome frame. */
export function streamUrl(port: number): string {
  return `ws://127.0.0.1:${port}/v1/stream`
}

export async function openStream(url: string, key: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: { 'x-api-key': key }, perMessageDeflate: false })
  await untilSaid(socket, ({ type }) => type === 'welcome')
  return socket
}

/** The reply to one frame; other frames are ignored here. */
export async function askStream(socket: WebSocket, question: Record<string, unknown>): Promise<Answer> {
  const id = `lab-${performance.now()}`
  const answered = untilSaid(socket, (frame) => frame.id === id)
  socket.send(JSON.stringify({ id, ...question }))
  const answer = await answered
  if (answer.type !== 'ack') throw new Error(`the stream replied ${JSON.stringify(answer)}`)
  return answer
}

/** The first matching frame. Data frames begin with their channel and are skipped. */
export function untilSaid(socket: WebSocket, isIt: (frame: Answer) => boolean, withinMs = ANSWER_WITHIN_MS) {
  return new Promise<Answer>((resolve, reject) => {
    const end = (error?: Error): void => {
      clearTimeout(late)
      socket.off('message', listen).off('error', end).off('close', closed)
      if (error !== undefined) reject(error)
    }
    const closed = (code: number): void => end(new Error(`the stream ended with ${code}`))
    const listen = (data: RawData): void => {
      if (!Buffer.isBuffer(data) || data.subarray(0, 11).toString('latin1') === '{"channel":') return
      const frame = JSON.parse(data.toString())
      if (!isIt(frame)) return
      end()
      resolve(frame)
    }
    const late = setTimeout(() => end(new Error('the stream did not reply in time')), withinMs)
    socket.on('message', listen).on('error', end).on('close', closed)
  })
}

async function closeStream(socket: WebSocket): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.close()
  await closed
}
