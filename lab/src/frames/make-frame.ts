import type { Random } from '@bookreel/simulator/world/random'
import { anyJson, brokenText, type Json, spoil } from './spoil.ts'

export interface FrameMaterial {
  readonly ids: readonly string[]
  readonly slugs: readonly string[]
}

export interface HostileFrame {
  readonly kind: 'valid' | 'spoiled' | 'random' | 'broken' | 'binary'
  readonly bytes: string | Buffer
  readonly isBinary: boolean
}

const COINS = ['BTC', 'ETH', 'eth', 'SOL', 'NONE']
const TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d']
const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities']
const CHANNELS = ['book', 'bbo', 'trade', 'market', 'status']
const STEERING = ['replay.pause', 'replay.resume', 'replay.stop', 'ping']
const HOUR_MS = 3_600_000

/** Mostly nearly valid frames, because completely invalid ones are refused early. */
export function makeFrame(material: FrameMaterial, draw: Random): HostileFrame {
  const share = draw.next()
  const valid = validFrame(material, draw)
  const text = (kind: HostileFrame['kind'], bytes: string | Buffer): HostileFrame => ({ kind, bytes, isBinary: false })
  if (share < 0.1) return text('valid', JSON.stringify(valid))
  if (share < 0.7) return text('spoiled', JSON.stringify(spoil(valid, draw)))
  if (share < 0.8) return text('random', JSON.stringify(anyJson(draw)))
  if (share < 0.95) return text('broken', brokenText(JSON.stringify(valid), draw))
  return { kind: 'binary', bytes: Buffer.from(JSON.stringify(valid)), isBinary: true }
}

function validFrame(material: FrameMaterial, draw: Random): Json {
  const id = draw.whole(1, 1_000_000)
  const what = (): { [name: string]: Json } => ({
    selectors: Array.from({ length: draw.whole(1, 3) }, () => selector(material, draw)),
    channels: Array.from({ length: draw.whole(1, 2) }, () => draw.pick(CHANNELS)),
    options: options(draw),
  })
  const moment = (): number => Date.now() - draw.whole(0, HOUR_MS)
  switch (draw.whole(0, 6)) {
    case 0:
      return { id, op: 'auth', key: 'bk_none' }
    case 1:
      return { id, op: 'subscribe', ...what() }
    case 2:
      return {
        id,
        op: 'resume',
        ...what(),
        since: draw.chance(0.5) ? moment() : { [draw.pick(material.ids)]: moment() },
      }
    case 3:
      return { id, op: 'unsubscribe', selectors: [selector(material, draw)], channels: [draw.pick(CHANNELS)] }
    case 4:
      return { id, op: 'replay', ...what(), from: moment(), to: moment(), speed: 'max', dry_run: draw.chance(0.5) }
    case 5:
      return draw.chance(0.5)
        ? { id, op: 'replay.seek', to: moment() }
        : { id, op: 'replay.speed', speed: draw.pick([0.1, 2, 1_000]) }
    default:
      return { id, op: draw.pick(STEERING) }
  }
}

function selector({ ids, slugs }: FrameMaterial, draw: Random): Json {
  switch (draw.whole(0, 5)) {
    case 0:
      return { market: draw.pick(ids) }
    case 1:
      return { token: String(draw.whole(1, 1_000_000)) }
    case 2:
      return { slug: draw.pick(slugs) }
    case 3:
      return { coin: draw.pick(COINS), timeframe: draw.pick(TIMEFRAMES) }
    case 4:
      return { category: draw.pick(CATEGORIES) }
    default:
      return { symbol: draw.pick(COINS) }
  }
}

function options(draw: Random): Json {
  return {
    mode: draw.pick(['snapshot', 'delta']),
    ...(draw.chance(0.5) && { depth: draw.whole(1, 1_000) }),
    ...(draw.chance(0.3) && { interval_ms: draw.whole(100, 60_000) }),
  }
}
