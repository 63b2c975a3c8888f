import { setTimeout as sleep } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'
import type { FrameLog } from './frame-log.ts'
import { type FrameText, readFrameText } from './frame-text.ts'

export interface LiveMarket {
  readonly id: string
  readonly intervalMs: number
}

export interface LiveRecording {
  /** The slot of the first frame of each market that was heard. */
  readonly firstSlots: ReadonlyMap<string, number>
  /** Books of all markets. */
  readonly rows: number
  /** What this client was too slow for. */
  readonly skipped: number
  stop(): Promise<void>
}

/** Rows of one moment are told by then, and those of the next not yet. */
const BETWEEN_SLOTS_MS = 120

/** Subscribes between two slots, right after a moment that all plans share, and records until that other moment. */
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
  /** Gaps come before the row behind them, which says whether they belong to the stretch. */
  const waiting = new Map<string, FrameText[]>()
  const lastSlots = new Map<string, number>()
  const isInside = (market: string, slot: number): boolean => slot * (intervals.get(market) ?? 0) < toMs
  const take = (frame: FrameText): void => {
    const { market, channel, type, seq } = frame
    if (type === 'skipped') recording.skipped++
    else if (type === 'gap' && channel === 'book') waiting.set(market, [...(waiting.get(market) ?? []), frame])
    else if (channel === 'bbo') {
      // It comes right behind the book of the same slot, and so do its gaps.
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

// biome-ignore lint/suspicious/noExplicitAny: answers are read by who asked.
type Answer = any

const ANSWER_WITHIN_MS = 120_000

/** Welcomed, and ready to be asked. */
export function streamUrl(port: number): string {
  return `ws://127.0.0.1:${port}/v1/stream`
}

export async function openStream(url: string, key: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: { 'x-api-key': key }, perMessageDeflate: false })
  await untilSaid(socket, ({ type }) => type === 'welcome')
  return socket
}

/** The answer to one question; anything else that comes meanwhile is for others. */
export async function askStream(socket: WebSocket, question: Record<string, unknown>): Promise<Answer> {
  const id = `lab-${performance.now()}`
  const answered = untilSaid(socket, (frame) => frame.id === id)
  socket.send(JSON.stringify({ id, ...question }))
  const answer = await answered
  if (answer.type !== 'ack') throw new Error(`the stream answered ${JSON.stringify(answer)}`)
  return answer
}

/** The first frame of which this is true. Frames with data begin with their channel and are not looked at. */
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
    const late = setTimeout(() => end(new Error('the stream did not answer in time')), withinMs)
    socket.on('message', listen).on('error', end).on('close', closed)
  })
}

async function closeStream(socket: WebSocket): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.close()
  await closed
}
