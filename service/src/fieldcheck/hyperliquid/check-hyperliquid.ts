import { COINS } from '../../domain/market.ts'
import { ConnectGate } from '../../venues/connect-gate.ts'
import { decodePerpBook } from '../../venues/hyperliquid/decode.ts'
import { type HyperliquidAddresses, hyperliquid } from '../../venues/hyperliquid/venue.ts'
import type { PerpStream } from '../../venues/perp-events.ts'
import type { PerpVenue } from '../../venues/perp-venue.ts'
import type { VenueHttp } from '../../venues/venue-http.ts'
import { FieldSocket, isSoWithin, listen, median, part, pause, type Run, seconds, untilEnd } from '../field.ts'
import { fieldHttp } from '../field-http.ts'
import type { Ledger } from '../ledger.ts'
import { requireHttp, requireSocket } from '../reachable.ts'
import type { HyperliquidAssumption } from './assumptions.ts'

interface Check {
  readonly run: Run
  readonly ledger: Ledger<HyperliquidAssumption>
  readonly venue: PerpVenue
  readonly info: VenueHttp
  readonly gate: ConnectGate
}

const LEVELS = 20
const MOST_AGE_MS = 5_000
const LONGEST_PAUSE_MS = 15_000
const FAST_WITHIN_MS = 3_000
const REST_EVERY_MS = 1_500
const UNKNOWN_COIN = 'NOSUCHCOIN'
const CLOSED_WITHIN_MS = 5_000
/** In a run that is shorter than the limit, so many pings without an answer count as none. */
const UNANSWERED_PINGS = 3

export async function checkHyperliquid(
  run: Run,
  addresses: HyperliquidAddresses,
  ledger: Ledger<HyperliquidAssumption>,
): Promise<void> {
  await requireHttp('HYPERLIQUID_INFO_URL', addresses.infoUrl)
  await requireSocket('HYPERLIQUID_SOCKET_URL', addresses.socketUrl)
  const check: Check = {
    run,
    ledger,
    venue: hyperliquid(addresses),
    info: fieldHttp(run, 'hyperliquid', addresses.infoUrl),
    gate: new ConnectGate({ everyMs: 250, perMinute: 20 }),
  }
  const listed = await check.venue.listCoins(run.signal)
  for (const coin of COINS) ledger.observe('coins-listed', listed.has(coin), coin)
  await Promise.all([
    part(run, 'whole books', () => followDeep(check)),
    part(run, 'fast books', () => followQuick(check)),
    part(run, 'REST books', () => askBooks(check)),
    listen(run, [part(run, 'unknown coin', () => subscribeUnknown(check))]),
  ])
}

interface Followed {
  readonly socket: FieldSocket
  /** Channels and coins of all frames, with the time of the last one. */
  readonly newest: Map<string, number>
}

function follow(check: Check, stream: PerpStream, onFrame: (data: Frame, receivedAtMs: number) => void): Followed {
  const { run, ledger, venue, gate } = check
  const newest = new Map<string, number>()
  const socket = new FieldSocket(run, {
    venue: venue.id,
    stream,
    rules: venue.socket,
    gate,
    ids: COINS,
    subscribeFrames: (coins) => venue.subscribeFrames(stream, coins),
    unsubscribeFrames: (coins) => venue.unsubscribeFrames(stream, coins),
    onText: (text, receivedAtMs) => {
      const { problems } = venue.decode(text, stream)
      ledger.observe('known-frames', !problems.some(({ kind }) => kind === 'unknown_event'), text)
      const isDecoded = !problems.some(({ kind }) => kind === 'undecodable')
      ledger.observe('known-values', isDecoded, text)
      if (!isDecoded) return
      const frame = JSON.parse(text) as Frame
      newest.set(`${frame.channel} ${frame.data?.coin ?? frame.data?.subscription?.coin ?? ''}`, receivedAtMs)
      onFrame(frame, receivedAtMs)
    },
  })
  return { socket, newest }
}

interface Frame {
  readonly channel: string
  readonly data?: {
    readonly coin?: string
    readonly time?: number
    readonly fast?: boolean
    readonly levels?: readonly [readonly unknown[], readonly unknown[]]
    readonly subscription?: { readonly coin?: string }
  }
}

async function followDeep(check: Check): Promise<void> {
  const { run, ledger } = check
  const times = new Map<string, { eventAtMs: number; receivedAtMs: number }>()
  const agesMs: number[] = []
  const { socket, newest } = follow(check, 'deep', ({ channel, data }, receivedAtMs) => {
    if (channel !== 'l2Book' || data?.coin === undefined || data.time === undefined) return
    const isWhole = data.levels?.every((side) => side.length === LEVELS) === true
    ledger.observe('whole-books', isWhole, JSON.stringify(data))
    const last = times.get(data.coin)
    times.set(data.coin, { eventAtMs: data.time, receivedAtMs })
    if (last !== undefined) {
      const isInTime = receivedAtMs - last.receivedAtMs <= LONGEST_PAUSE_MS
      ledger.observe(
        'book-times',
        data.time > last.eventAtMs && isInTime,
        `${data.coin} ${last.eventAtMs} ${data.time}`,
      )
    }
    // A book that is sent again says nothing about delays.
    if (data.time === last?.eventAtMs) return
    agesMs.push(receivedAtMs - data.time)
    ledger.observe('frames-on-time', Math.abs(receivedAtMs - data.time) <= MOST_AGE_MS, JSON.stringify(data))
  })
  await untilEnd(run)
  for (const coin of COINS) {
    if (ledger.verdictOf('coins-listed') === 'confirmed' && !times.has(coin))
      ledger.observe('whole-books', false, `no book of ${coin}`)
    if (newest.has(`l2Book ${coin}`))
      ledger.observe('acknowledged', newest.has(`subscriptionResponse ${coin}`), `no answer for ${coin}`)
  }
  ledger.note('frames-on-time', `median age ${seconds(median(agesMs))}`)
  judgeSocket(check, socket)
}

async function followQuick(check: Check): Promise<void> {
  const { run, ledger } = check
  const longestMs = new Map<string, number>()
  const lastMs = new Map<string, number>()
  const { socket, newest } = follow(check, 'quick', ({ channel, data }, receivedAtMs) => {
    if (channel !== 'l2Book' || data?.coin === undefined || data.fast !== true) return
    const pauseMs = receivedAtMs - (lastMs.get(data.coin) ?? receivedAtMs)
    longestMs.set(data.coin, Math.max(longestMs.get(data.coin) ?? 0, pauseMs))
    lastMs.set(data.coin, receivedAtMs)
  })
  await untilEnd(run)
  if (ledger.verdictOf('coins-listed') === 'confirmed')
    for (const coin of COINS) {
      const pauseMs = longestMs.get(coin)
      const detail = `${coin}: longest pause ${seconds(pauseMs)}`
      ledger.observe('fast-books', pauseMs !== undefined && pauseMs <= FAST_WITHIN_MS, detail)
      ledger.observe('best-prices', newest.has(`bbo ${coin}`), `no bbo of ${coin}`)
    }
  ledger.note('fast-books', `longest pause ${seconds(Math.max(0, ...longestMs.values()))}`)
  judgeSocket(check, socket)
}

function judgeSocket({ ledger }: Check, socket: FieldSocket): void {
  const { openedAtMs, answerDelaysMs, heartbeatEveryMs = 0, closings } = socket
  if (openedAtMs === undefined) return
  const hasPinged = Date.now() - openedAtMs > UNANSWERED_PINGS * heartbeatEveryMs + 1_000
  if (answerDelaysMs.length > 0 || hasPinged)
    ledger.observe('heartbeat', answerDelaysMs.length > 0, `no answer in ${seconds(Date.now() - openedAtMs)}`)
  ledger.note('heartbeat', `median ${seconds(median(answerDelaysMs))}`)
  const byVenue = closings.filter(({ closing }) => closing !== undefined)
  ledger.observe('stays-open', byVenue.length === 0, byVenue.map(({ detail }) => detail).join(', '))
}

/** As often as the recorder does. */
async function askBooks({ run, ledger, info }: Check): Promise<void> {
  const unknown = await info.post('', { type: 'l2Book', coin: UNKNOWN_COIN }, run.signal).catch(String)
  if (!run.signal.aborted) ledger.observe('rest-unknown-coin', unknown.trim() === 'null', unknown)
  while (!run.signal.aborted) {
    for (const coin of COINS) {
      const text = await info.post('', { type: 'l2Book', coin }, run.signal)
      const book = decodePerpBook(text)
      if (book === undefined) continue
      const isWhole = [book.ladders.bids, book.ladders.asks].every(({ length }) => length === LEVELS)
      ledger.observe('rest-books', isWhole && Math.abs(Date.now() - book.eventAtMs) <= MOST_AGE_MS, text)
    }
    await pause(run, REST_EVERY_MS)
  }
}

async function subscribeUnknown({ run, ledger, venue, gate }: Check): Promise<void> {
  const texts: string[] = []
  const socket = new FieldSocket(run, {
    venue: venue.id,
    stream: 'unknown coin',
    rules: venue.socket,
    gate,
    ids: [UNKNOWN_COIN],
    subscribeFrames: ([coin]) => [JSON.stringify({ method: 'subscribe', subscription: { type: 'l2Book', coin } })],
    unsubscribeFrames: () => [],
    onText: (text) => texts.push(text),
  })
  const limitMs = Math.min(CLOSED_WITHIN_MS, run.durationMs / 2)
  const isClosed = await isSoWithin(run, limitMs, () => socket.wasLost)
  if (socket.openedAtMs !== undefined && !run.signal.aborted)
    ledger.observe('unknown-coin-closes', isClosed && texts.length === 0, texts[0] ?? 'the socket stays open')
  await socket.close()
}
