import { describe, expect, test } from 'vitest'
import { bookHash, type HashedBook } from './book-hash.ts'
import { recordedText, recordingsExist, recordingsPlace } from './recordings.ts'

describe('the published test vectors', () => {
  const settled: HashedBook = {
    market: '0xdd306d515bd45284b15076a703f63217ca90d56a4a0711fa02a7565c7384bcce',
    assetId: '39380455732777541460182228901170103342295047760602489732172685203069049658354',
    timestamp: '1786349854329',
    bids: [],
    asks: [],
    minOrderSize: '5',
    tickSize: '0.001',
    negRisk: false,
    lastTradePrice: '0.999',
    version: 'v1',
  }

  test('an emptied book of either token', () => {
    expect(bookHash(settled)).toBe('757d5c16f528557f9f563d167b5ca79b5bac7a7c')
    const other = '111829523372964714082931288140246517573844643533796580245290450692807668293921'
    expect(bookHash({ ...settled, assetId: other })).toBe('46eb4059bf9b73848bd3a16e308b1f37a23660d3')
  })

  test('an empty v2 book', () => {
    const v2: HashedBook = {
      ...settled,
      market: '0x017791f201d5a788e0039e511fc1900e5f000000000000000000000000000000',
      assetId: '663574927012476832975694178961957910328055987427402067619466963999000625152',
      timestamp: '1791238858575',
      tickSize: '0.01',
      lastTradePrice: '',
      version: 'v2',
    }
    expect(bookHash(v2)).toBe('fc3846cab0c35a0977b6e5f605a4e5ff0d0b2277')
  })
})

const missing = !recordingsExist()
if (missing) process.stderr.write(`SKIPPED, ${recordingsPlace} does not exist: recorded REST books\n`)
describe.skipIf(missing)('recorded REST books', () => {
  test.each([
    ['no-licence-stated/book-v1.json', 'v1', false],
    ['no-licence-stated/book-v2-empty.json', 'v2', false],
    ['argos/book_yes.raw.json', 'v1', true],
  ] as const)('%s gives its own hash', (path, version, negRisk) => {
    const body = JSON.parse(recordedText(path))
    const book: HashedBook = {
      market: body.market,
      assetId: body.asset_id,
      timestamp: body.timestamp,
      bids: body.bids,
      asks: body.asks,
      minOrderSize: body.min_order_size,
      tickSize: body.tick_size,
      negRisk,
      lastTradePrice: body.last_trade_price,
      version,
    }
    expect(bookHash(book)).toBe(body.hash)
    expect(bookHash({ ...book, negRisk: !negRisk })).not.toBe(body.hash)
  })
})
