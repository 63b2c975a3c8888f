import { expect, test } from 'vitest'
import { decodePerpFrame } from './decode.ts'

const CONTEXT = {
  funding: '0.0000052974',
  openInterest: '36295.80812',
  prevDayPx: '77759.0',
  dayNtlVlm: '4490636699.3287734985',
  premium: '-0.0005540084',
  oraclePx: '80684.7',
  markPx: '80640.0',
  midPx: '80639.5',
  impactPxs: ['80637.2', '80640.0'],
  dayBaseVlm: '56265.69068',
}
const TRADE = {
  coin: 'BTC',
  side: 'A',
  px: '63719.0',
  sz: '0.00016',
  time: 1785251456343,
  hash: '0x668506587a64f61a67fe0425a1e37c0102001e3e156814ec0a4db1ab3968d005',
  tid: 447757798903687,
  users: ['0x1260b8f7e0c4caa2ef3a51b6c08507ecc104641d', '0x86914e6492aab9847dfd8d088060ba2075bb315c'],
}

const decode = (channel: string, data: unknown) => decodePerpFrame(JSON.stringify({ channel, data }), 'quick')
const contextOf = (changed: object) => decode('activeAssetCtx', { coin: 'BTC', ctx: { ...CONTEXT, ...changed } })

test('a context is read exactly, all its digits and its sign', () => {
  expect(contextOf({}).events).toEqual([
    {
      kind: 'context',
      coin: 'BTC',
      figures: {
        funding: 5_297_400_000_000n,
        openInterest: 36_295_808_120_000_000_000_000n,
        markPrice: 80_640_000_000_000_000_000_000n,
        oraclePrice: 80_684_700_000_000_000_000_000n,
        previousDayPrice: 77_759_000_000_000_000_000_000n,
        dayNotional: 4_490_636_699_328_773_498_500_000_000n,
        dayVolume: 56_265_690_680_000_000_000_000n,
        book: {
          midPrice: 80_639_500_000_000_000_000_000n,
          premium: -554_008_400_000_000n,
          impactBid: 80_637_200_000_000_000_000_000n,
          impactAsk: 80_640_000_000_000_000_000_000n,
        },
      },
    },
  ])
  const [event] = contextOf({ premium: null, midPx: null, impactPxs: null }).events
  expect(event).toMatchObject({ kind: 'context', figures: { book: undefined } })
})

test('a trade is read from the taker’s side; its users are not kept, and may be absent', () => {
  const { users: _, ...withoutUsers } = TRADE
  for (const trade of [TRADE, withoutUsers])
    expect(decode('trades', [trade]).events).toEqual([
      {
        kind: 'trade',
        coin: 'BTC',
        trade: {
          tradeId: 447757798903687,
          side: 'SELL',
          price: 63_719_000_000,
          size: 160,
          tradedAtMs: 1785251456343,
          transactionHash: TRADE.hash,
        },
      },
    ])
})

test.each([
  ['a text that is no number', contextOf({ funding: 'much' })],
  ['a number where texts are told', contextOf({ openInterest: 5 })],
  ['a book in part', contextOf({ midPx: null })],
  ['trades that are no list', decode('trades', TRADE)],
  ['a trade without a price', decode('trades', [TRADE, { ...TRADE, px: '0.0' }])],
  ['a trade with an unknown side', decode('trades', [{ ...TRADE, side: 'C' }])],
  ['a trade with a number that is too large', decode('trades', [{ ...TRADE, tid: 2 ** 60 }])],
  ['a trade with another hash', decode('trades', [{ ...TRADE, hash: '0x12' }])],
  ['a trade without a time', decode('trades', [{ ...TRADE, time: 0 }])],
])('%s is not guessed', (_, { events, problems }) => {
  expect(events).toEqual([])
  expect(problems).toMatchObject([{ kind: 'undecodable' }])
})
