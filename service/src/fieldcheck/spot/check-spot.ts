import { COINS, type CoinSymbol } from '../../domain/market.ts'
import type { PriceSource } from '../../domain/price.ts'
import { isTraded, pairOf } from '../../venues/binance/pairs.ts'
import { type BinanceAddresses, binance } from '../../venues/binance/venue.ts'
import { ConnectGate } from '../../venues/connect-gate.ts'
import type { PriceVenue } from '../../venues/price-venue.ts'
import { rtds } from '../../venues/rtds/venue.ts'
import { HttpRefusal, type VenueHttp } from '../../venues/venue-http.ts'
import { FieldSocket, isSoWithin, listen, median, part, type Run, seconds, untilEnd } from '../field.ts'
import { fieldHttp } from '../field-http.ts'
import type { Ledger } from '../ledger.ts'
import { requireHttp, requireSocket, socketProblem } from '../reachable.ts'
import type { SpotAssumption } from './assumptions.ts'

export interface SpotAddresses extends BinanceAddresses {
  readonly priceSocketUrl: string
}

interface Check {
  readonly run: Run
  readonly ledger: Ledger<SpotAssumption>
  readonly addresses: SpotAddresses
  /** The newest price of each source and coin, in USD. */
  readonly prices: Map<string, number>
}

/** Binance has no spot pair of this coin. */
const WITHOUT_PAIR: ReadonlySet<CoinSymbol> = new Set(['HYPE'])
const UNKNOWN_PAIR = 'NOSUCHUSDT'
const UNKNOWN_PAIR_STATUS = 400
const TICKER_WITHIN_MS = 10_000
const LONGEST_PAUSE_MS = 5_000
const MOST_DELAY_MS = 10_000
const MOST_DIFFERENCE = 0.01
const UNITS_PER_USD = 1e18

export async function checkSpot(run: Run, addresses: SpotAddresses, ledger: Ledger<SpotAssumption>): Promise<void> {
  await requireHttp('BINANCE_REST_URL', addresses.restUrl)
  await requireSocket('BINANCE_SOCKET_URL', `${addresses.streamUrl}/stream`)
  const check: Check = { run, ledger, addresses, prices: new Map() }
  await Promise.all([
    part(run, 'price socket', () => checkPriceSocket(check)),
    listen(run, [part(run, 'Binance', () => checkBinance(check))]),
  ])
  for (const coin of COINS) {
    const [spot, oracle] = [check.prices.get(`binance ${coin}`), check.prices.get(`chainlink ${coin}`)]
    if (spot === undefined || oracle === undefined) continue
    const isNear = Math.abs(spot / oracle - 1) < MOST_DIFFERENCE
    ledger.observe('sources-agree', isNear, `${coin}: Binance ${spot}, Chainlink ${oracle}`)
  }
}

async function checkBinance(check: Check): Promise<void> {
  const { run, ledger, addresses } = check
  const http = fieldHttp(run, 'binance', addresses.restUrl)
  const listed: CoinSymbol[] = []
  for (const coin of COINS) {
    const hasPair = await isTraded(http, coin, run.signal)
    if (hasPair) listed.push(coin)
    ledger.observe(
      'pairs-listed',
      hasPair !== WITHOUT_PAIR.has(coin),
      `${pairOf(coin)}: ${hasPair ? '' : 'not '}traded`,
    )
  }
  await checkUnknownPair(check, http)
  const venue = binance(addresses)
  const updateIds = new Map<string, number>()
  let isAcknowledged = false
  const socket = openPrices(
    check,
    venue,
    listed.map((coin) => venue.streamOf({ source: 'binance', coin })),
    (text) => {
      const { result, data } = JSON.parse(text) as { result?: null; data?: { s?: string; u?: number } }
      if (result === null) isAcknowledged = true
      if (data?.s === undefined || data.u === undefined) return
      ledger.observe(
        'update-ids',
        data.u >= (updateIds.get(data.s) ?? 0),
        `${data.s}: ${updateIds.get(data.s)}, ${data.u}`,
      )
      updateIds.set(data.s, data.u)
    },
  )
  const haveCome = (): boolean => listed.every((coin) => check.prices.has(`binance ${coin}`))
  await isSoWithin(run, TICKER_WITHIN_MS, haveCome)
  if (socket.openedAtMs !== undefined) {
    for (const coin of listed)
      ledger.observe('book-tickers', check.prices.has(`binance ${coin}`), `no ticker of ${pairOf(coin)}`)
    ledger.observe('acknowledged', isAcknowledged, 'no answer to SUBSCRIBE')
  }
}

async function checkUnknownPair({ run, ledger }: Check, http: VenueHttp): Promise<void> {
  const answer = await http
    .get(`/api/v3/exchangeInfo?symbol=${UNKNOWN_PAIR}`, run.signal)
    .catch((error: unknown) => error)
  if (run.signal.aborted) return
  const status = answer instanceof HttpRefusal ? answer.status : undefined
  ledger.observe('unknown-pair', status === UNKNOWN_PAIR_STATUS, `status ${status ?? 200}`)
}

async function checkPriceSocket(check: Check): Promise<void> {
  const { run, ledger, addresses } = check
  const problem = await socketProblem(addresses.priceSocketUrl)
  ledger.observe('price-socket', problem === undefined, problem)
  if (problem !== undefined) return
  const venue = rtds({ socketUrl: addresses.priceSocketUrl })
  const topics = new Set(venue.series.map((series) => venue.streamOf(series)))
  const lastMs = new Map<string, number>()
  const longestMs = new Map<string, number>()
  const delaysMs: number[] = []
  const fromMs = Date.now()
  openPrices(check, venue, [...topics], (text, receivedAtMs) => {
    for (const { source, coin, priceAtMs = receivedAtMs } of venue.decode(text).events) {
      const name = `${source} ${coin}`
      const pauseMs = receivedAtMs - (lastMs.get(name) ?? fromMs)
      longestMs.set(name, Math.max(longestMs.get(name) ?? 0, pauseMs))
      lastMs.set(name, receivedAtMs)
      delaysMs.push(receivedAtMs - priceAtMs)
      ledger.observe('price-times', Math.abs(receivedAtMs - priceAtMs) <= MOST_DELAY_MS, text)
    }
  })
  await untilEnd(run)
  if (Date.now() - fromMs < LONGEST_PAUSE_MS) return
  noteCoins(check, 'chainlink-prices', 'chainlink')
  noteCoins(check, 'twap-prices', 'twap60')
  for (const [name, receivedAtMs] of lastMs) {
    const pauseMs = Math.max(longestMs.get(name) ?? 0, Date.now() - receivedAtMs)
    ledger.observe('price-every-second', pauseMs <= LONGEST_PAUSE_MS, `${name}: longest pause ${seconds(pauseMs)}`)
  }
  ledger.note('price-every-second', `longest pause ${seconds(Math.max(0, ...longestMs.values()))}`)
  ledger.note('price-times', `median delay ${seconds(median(delaysMs))}`)
}

function noteCoins({ ledger, prices }: Check, id: SpotAssumption, source: PriceSource): void {
  for (const coin of COINS) ledger.observe(id, prices.has(`${source} ${coin}`), `no ${source} price of ${coin}`)
}

function openPrices(
  { run, ledger, prices }: Check,
  venue: PriceVenue,
  ids: readonly string[],
  take: (text: string, receivedAtMs: number) => void,
): FieldSocket {
  return new FieldSocket(run, {
    venue: venue.id,
    stream: 'prices',
    rules: venue.socket,
    gate: new ConnectGate({ everyMs: 250, perMinute: 20 }),
    ids,
    subscribeFrames: (streams) => venue.subscribeFrames(streams),
    unsubscribeFrames: (streams) => venue.unsubscribeFrames(streams),
    onText: (text, receivedAtMs) => {
      const { events, problems } = venue.decode(text)
      ledger.observe('known-frames', !problems.some(({ kind }) => kind !== 'undecodable'), text)
      ledger.observe('known-values', !problems.some(({ kind }) => kind === 'undecodable'), text)
      for (const { source, coin, price } of events) prices.set(`${source} ${coin}`, Number(price) / UNITS_PER_USD)
      if (text.startsWith('{') && problems.length === 0) take(text, receivedAtMs)
    },
  })
}
