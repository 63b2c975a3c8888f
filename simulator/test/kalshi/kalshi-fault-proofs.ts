import { expect } from 'vitest'
import type { FaultName } from '../../src/faults/fault-list.ts'
import { deedsOf, switchOff, switchOn } from '../switch-fault.ts'
import { followed } from './followed-books.ts'
import {
  bitcoinWindow,
  connect,
  ethereumWindow,
  getKalshi,
  isType,
  moveKalshi,
  openKalshi,
  roundTrip,
  subscribeBooks,
} from './kalshi-scene.ts'

const KALSHI_FAULTS = [
  'negative-level',
  'buffer-overflow',
  'maintenance',
  'wrong-handshake-clock',
] as const satisfies readonly FaultName[]

/** What each fault that only Kalshi has does to a client. */
export const KALSHI_FAULT_PROOFS: Record<(typeof KALSHI_FAULTS)[number], () => Promise<void>> = {
  async 'negative-level'() {
    const simulator = await openKalshi()
    const { ticker } = bitcoinWindow(simulator)
    const client = await connect(simulator)
    await subscribeBooks(client, [ticker])
    await switchOn(simulator, { name: 'negative-level', times: 1 })
    await moveKalshi(simulator, client, 5_000)
    const books = followed(client.frames)
    expect([books.gaps, books.negative[0]]).toEqual([[], ticker])
    const [, struck] = await deedsOf(simulator, 'negative-level')
    expect(struck).toMatchObject({ connection: 'kalshi-1', market: ticker })
  },
  async 'buffer-overflow'() {
    const simulator = await openKalshi()
    const tickers = [bitcoinWindow(simulator).ticker, ethereumWindow(simulator).ticker]
    const client = await connect(simulator)
    await subscribeBooks(client, tickers)
    await moveKalshi(simulator, client, 2_000)
    await switchOn(simulator, { name: 'buffer-overflow' })
    const error = await client.frame('error', isType('error'))
    expect(error.json).toMatchObject({ sid: 1, msg: { code: 25, msg: 'Subscription buffer overflow' } })
    await moveKalshi(simulator, client, 2_000)
    const after = client.frames.slice(client.frames.indexOf(error) + 1)
    expect(after.every(({ json }) => Array.isArray(json.msg) && json.msg.length === 0)).toBe(true)
    expect(await deedsOf(simulator, 'buffer-overflow')).toContainEqual(expect.objectContaining({ markets: tickers }))
    await subscribeBooks(client, tickers)
    const again = await client.frame('book', isType('orderbook_snapshot'), client.frames.indexOf(error))
    expect([again.json.sid, again.json.seq]).toEqual([2, 1])
  },
  async maintenance() {
    const simulator = await openKalshi()
    const market = bitcoinWindow(simulator)
    const client = await connect(simulator)
    await subscribeBooks(client, [market.ticker])
    const id = await switchOn(simulator, { name: 'maintenance' })
    expect((await client.closed).code).toBe(1006)
    expect((await getKalshi(simulator, '/exchange/status')).json.trading_active).toBe(false)
    expect(await deedsOf(simulator, 'maintenance')).toContainEqual(
      expect.objectContaining({ connection: 'kalshi-1', markets: [market.ticker] }),
    )
    const during = await connect(simulator)
    await subscribeBooks(during, [market.ticker])
    await moveKalshi(simulator, during, 10_000)
    expect(during.frames.some(isType('orderbook_snapshot'))).toBe(true)
    expect(during.frames.some(isType('orderbook_delta'))).toBe(false)
    await switchOff(simulator, id)
    await moveKalshi(simulator, during, 10_000)
    expect(during.frames.some(isType('orderbook_delta'))).toBe(true)
    expect((await getKalshi(simulator, '/exchange/status')).json.trading_active).toBe(true)
  },
  async 'wrong-handshake-clock'() {
    const simulator = await openKalshi()
    const id = await switchOn(simulator, { name: 'wrong-handshake-clock' })
    await expect(connect(simulator)).rejects.toThrow('401')
    await switchOff(simulator, id)
    await roundTrip(await connect(simulator))
  },
}
