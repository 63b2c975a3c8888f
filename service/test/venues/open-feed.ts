import { onTestFinished } from 'vitest'
import { BackOff } from '../../src/venues/back-off.ts'
import { ConnectGate } from '../../src/venues/connect-gate.ts'
import { runFeed } from '../../src/venues/feed.ts'
import type { FeedOptions, FeedRules } from '../../src/venues/feed-options.ts'
import { FrameRing } from '../../src/venues/frame-ring.ts'
import { decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { Subscriptions } from '../../src/venues/subscriptions.ts'

const RULES: Omit<FeedRules, 'url'> = {
  heartbeat: { frame: 'PING', everyMs: 50, answer: 'PONG', answerWithinMs: 400 },
  maxFrameBytes: 32 * 1024 * 1024,
  notices: ['NO NEW ASSETS'],
  nothingNew: 'NO NEW ASSETS',
}

/** A feed of a market socket with short limits, and all calls of its owner. */
export function openFeed(
  { addresses }: { readonly addresses: { readonly marketSocket: string } },
  ids: readonly string[],
  rules: Partial<FeedRules> = {},
) {
  const calls: string[] = []
  /** Books received on the current connection, by token. */
  const tokens = new Map<string, number>()
  const sent: { kind: 'subscribe' | 'unsubscribe'; ids: readonly string[]; atMs: number }[] = []
  let isNextUnsubscribeLost = false
  const loseNextUnsubscribe = (): void => {
    isNextUnsubscribeLost = true
  }
  const stop = new AbortController()
  const subscriptions = new Subscriptions(ids)
  const ring = new FrameRing()
  const nowMs = (): number => performance.timeOrigin + performance.now()
  const options: FeedOptions = {
    rules: { ...RULES, url: addresses.marketSocket, ...rules },
    subscriptions,
    subscribeFrames: (assets, isFirst) => {
      sent.push({ kind: 'subscribe', ids: assets, atMs: nowMs() })
      return [JSON.stringify({ assets_ids: assets, ...(isFirst ? { type: 'market' } : { operation: 'subscribe' }) })]
    },
    unsubscribeFrames: (assets) => {
      sent.push({ kind: 'unsubscribe', ids: assets, atMs: nowMs() })
      const frames = [JSON.stringify({ assets_ids: assets, operation: 'unsubscribe' })]
      if (!isNextUnsubscribeLost) return frames
      isNextUnsubscribeLost = false
      return []
    },
    owner: {
      opened: () => calls.push('opened'),
      frame(text) {
        const { events } = decodeFrame(text)
        if (events.length > 0 && calls.at(-1) !== 'data') calls.push('data')
        for (const event of events)
          if (event.kind === 'book') tokens.set(event.tokenId, (tokens.get(event.tokenId) ?? 0) + 1)
        return events.length > 0 ? 'data' : 'no_data'
      },
      lost: (cause, detail) => {
        tokens.clear()
        calls.push(`lost ${cause} ${detail}`)
      },
      noticed: (notice) => calls.push(`noticed ${notice}`),
      refused: (detail) => calls.push(`refused ${detail}`),
    },
    gate: new ConnectGate({ everyMs: 10, perMinute: 600 }),
    ring,
    nowMs,
    backOff: new BackOff({ firstMs: 50, mostMs: 400 }),
  }
  const ended = runFeed(options, stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  return { calls, tokens, sent, loseNextUnsubscribe, subscriptions, ring, stop, ended }
}
