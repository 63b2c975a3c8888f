import type { Market } from '../../domain/market.ts'
import type { ExpectedTraffic, SocketProtocol, SocketRules } from '../venue.ts'
import { decodeFrame } from './decode.ts'

/** A frame that names more than 750 tokens gets no books at all. */
const TOKENS_PER_FRAME = 500

/** The windows of these coins and lengths send more than all others. */
const BUSY_COINS = new Set(['BTC', 'ETH'])
const BUSY_LENGTHS = new Set(['5m', '15m'])
const WINDOWS = new Set(['5m', '15m', '1h', '4h'])
/** A window that opens later than this is still quiet. */
const BUSY_BEFORE_START_MS = 10 * 60_000

const MEAN_FRAME_BYTES = 600
const QUIET: ExpectedTraffic = { isExclusive: false, framesPerS: 1, bytesPerS: MEAN_FRAME_BYTES }
const WINDOW: ExpectedTraffic = { isExclusive: false, framesPerS: 40, bytesPerS: 40 * MEAN_FRAME_BYTES }

export function socketRules(url: string): SocketRules {
  return {
    url,
    // An answer waits behind the data of a busy socket; 11.4 s have been seen.
    heartbeat: { frame: 'PING', everyMs: 10_000, answer: 'PONG', answerWithinMs: 30_000 },
    maxFrameBytes: 32 * 1024 * 1024,
    notices: ['NO NEW ASSETS', 'INVALID OPERATION', 'INVALID MESSAGE'],
    nothingNew: 'NO NEW ASSETS',
    // Between 100 and 200 quiet markets on a socket work well; with more, sockets have stalled without a word.
    marketsPerSocket: 150,
    // 48 crypto windows on one socket are 2,100 frames and 1.2 MiB a second: the venue closed it within 40 s. On 6
    // sockets they were late by 1.9 s, on 24 sockets by less than 0.2 s. A tenth of the total is therefore safe.
    budget: { framesPerS: 200, bytesPerS: 128 * 1024 },
    expectedTraffic,
    meaningOf({ code, reason }) {
      if (code === 1013) return 'overloaded'
      return code === 1000 && reason.includes('all subscribed assets resolved') ? 'all_resolved' : 'lost'
    },
  }
}

/** Custom events follow the last subscribe of a socket, so every one asks for them. */
export function subscribeFrames(tokenIds: readonly string[], isFirst: boolean): string[] {
  return inParts(tokenIds).map((assets_ids, part) =>
    JSON.stringify({
      assets_ids,
      ...(isFirst && part === 0 ? { type: 'market', initial_dump: true } : { operation: 'subscribe' }),
      custom_feature_enabled: true,
    }),
  )
}

export function unsubscribeFrames(tokenIds: readonly string[]): string[] {
  return inParts(tokenIds).map((assets_ids) => JSON.stringify({ assets_ids, operation: 'unsubscribe' }))
}

/** Frames say everything by themselves; only the first subscribe of a connection differs. */
export function openProtocol(): SocketProtocol {
  let isFirst = true
  return {
    subscribeFrames(tokenIds) {
      const frames = subscribeFrames(tokenIds, isFirst)
      isFirst = false
      return frames
    },
    unsubscribeFrames,
    decode: decodeFrame,
    checkpoint: () => undefined,
    restore: () => {},
  }
}

function expectedTraffic({ category, subcategory, timeframe, startsAtMs }: Market, nowMs: number): ExpectedTraffic {
  const isNear = (startsAtMs ?? 0) - nowMs < BUSY_BEFORE_START_MS
  if (category !== 'crypto' || !WINDOWS.has(timeframe) || !isNear) return QUIET
  return { ...WINDOW, isExclusive: BUSY_COINS.has(subcategory) && BUSY_LENGTHS.has(timeframe) }
}

function inParts(tokenIds: readonly string[]): (readonly string[])[] {
  const parts: (readonly string[])[] = []
  for (let from = 0; from < tokenIds.length; from += TOKENS_PER_FRAME)
    parts.push(tokenIds.slice(from, from + TOKENS_PER_FRAME))
  return parts
}
