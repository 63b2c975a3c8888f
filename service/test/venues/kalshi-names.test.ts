import { constants, createHash, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CATEGORIES, COINS, TIMEFRAMES } from '../../src/domain/market.ts'
import { groupIdOf, namesOf, tickerOf, tickersOf } from '../../src/venues/kalshi/market-names.ts'
import { FOLLOWED_SERIES, seriesOf } from '../../src/venues/kalshi/series.ts'
import { handshakeSigner } from '../../src/venues/kalshi/signature.ts'
import { kalshi } from '../../src/venues/kalshi/venue.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

describe('names', () => {
  test('the id of a market is a hash of venue and ticker; its tokens name the ticker', () => {
    const digest = createHash('sha256').update('kalshi:KXBTC15M-26NOV171415-15').digest('hex')
    expect(namesOf('KXBTC15M-26NOV171415-15')).toEqual({
      marketId: `0x${digest}`,
      yesTokenId: 'KXBTC15M-26NOV171415-15:yes',
      noTokenId: 'KXBTC15M-26NOV171415-15:no',
    })
    expect(tickerOf('KXBTCD-26AUG1717-T72749.99:no')).toBe('KXBTCD-26AUG1717-T72749.99')
    for (const other of ['7001', '', ':yes', 'KX:maybe', 'KX/../x:yes', `${'K'.repeat(101)}:yes`])
      expect(tickerOf(other)).toBeUndefined()
    expect(tickersOf(['A:yes', '7001', 'B:no', 'A:no'])).toEqual(['A', 'B'])
  })

  test('a group has an id of its own, also when an event and a market have the same ticker', () => {
    expect(groupIdOf('KXFEDDECISION-26DEC')).toMatch(/^0x[0-9a-f]{64}$/)
    expect(groupIdOf('KXFEDDECISION-26DEC')).not.toBe(namesOf('KXFEDDECISION-26DEC').marketId)
  })
})

describe('series', () => {
  test('each is classified in the words of the API, and every category has some', () => {
    for (const { ticker, category, subcategory, timeframe } of FOLLOWED_SERIES) {
      expect(TIMEFRAMES[category], ticker).toContain(timeframe)
      if (category === 'crypto') expect(COINS, ticker).toContain(subcategory)
    }
    for (const category of CATEGORIES) expect(seriesOf(category).length, category).toBeGreaterThan(0)
    expect(new Set(FOLLOWED_SERIES.map(({ ticker }) => ticker)).size).toBe(FOLLOWED_SERIES.length)
  })

  test.each([
    ['KXBTC15M', 'crypto', 'BTC', '15m'],
    ['KXZEC15M', 'crypto', 'ZEC', '15m'],
    ['KXBTCD', 'crypto', 'BTC', 'hit-price'],
    ['KXNFLSPREAD', 'sports', 'NFL', 'game'],
    ['KXWCGAME', 'sports', 'FIFA', 'game'],
    ['KXFEDDECISION', 'economics', 'FOMC', 'rates'],
    ['KXHIGHTDC', 'weather', 'Washington', 'daily-high'],
    ['KXLOWTNYC', 'weather', 'New York', 'daily-low'],
    ['KXTRUTHSOCIAL', 'social', 'Trump', 'weekly'],
    ['KXINXU', 'equities', 'SPX', 'daily'],
    ['KXGOLDH', 'equities', 'Commodity', 'daily'],
  ])('%s: %s, %s, %s', (ticker, category, subcategory, timeframe) => {
    expect(FOLLOWED_SERIES.find((series) => series.ticker === ticker)).toMatchObject({
      category,
      subcategory,
      timeframe,
    })
  })

  test('only up/down windows are windows, and only ranges, games and decisions exclude each other', () => {
    for (const { ticker, isWindow, isExclusive } of FOLLOWED_SERIES) {
      expect(isWindow, ticker).toBe(ticker.endsWith('15M'))
      if (isWindow || ticker === 'KXBTCD' || ticker === 'KXNFLTOTAL') expect(isExclusive, ticker).toBe(false)
      if (ticker.startsWith('KXHIGH') || ticker.endsWith('GAME')) expect(isExclusive, ticker).toBe(true)
    }
  })
})

describe('signature', () => {
  const isSigned = (headers: Record<string, string>): boolean =>
    verify(
      'sha256',
      Buffer.from(`${headers['KALSHI-ACCESS-TIMESTAMP']}GET/trade-api/ws/v2`),
      { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
      Buffer.from(headers['KALSHI-ACCESS-SIGNATURE'] ?? '', 'base64'),
    )

  test('every connection is signed anew, with the path of the venue', () => {
    let nowMs = 1_790_000_000_000.7
    const sign = handshakeSigner({ keyId: 'key', privateKey }, () => nowMs)
    const first = sign()
    nowMs += 1_000
    const second = sign()
    expect([first['KALSHI-ACCESS-KEY'], first['KALSHI-ACCESS-TIMESTAMP']]).toEqual(['key', '1790000000000'])
    expect(second['KALSHI-ACCESS-TIMESTAMP']).toBe('1790000001000')
    expect([isSigned(first), isSigned(second)]).toEqual([true, true])
    expect(isSigned({ ...first, 'KALSHI-ACCESS-TIMESTAMP': '1790000001000' })).toBe(false)
  })

  test('an address with a path in front does not change what is signed', () => {
    const urls = { restUrl: 'http://localhost/kalshi/trade-api/v2', socketUrl: 'ws://localhost/kalshi/trade-api/ws/v2' }
    expect(isSigned({ ...kalshi({ ...urls, keyId: 'key', privateKey }).socket.headers?.() })).toBe(true)
  })

  test('an unusable key is refused at once, without a word about its content', () => {
    const { privateKey: curve } = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    for (const key of ['', 'secret', publicKey, curve])
      expect(() => handshakeSigner({ keyId: 'key', privateKey: key })).toThrow('must be an RSA key as PEM text')
  })
})
