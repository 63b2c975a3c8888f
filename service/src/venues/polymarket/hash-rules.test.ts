import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectedRule } from './hash-rules.ts'

const MARKET = '0xdd306d515bd45284b15076a703f63217ca90d56a4a0711fa02a7565c7384bcce'
const UP = '39380455732777541460182228901170103342295047760602489732172685203069049658354'
const DOWN = '111829523372964714082931288140246517573844643533796580245290450692807668293921'
const NEW_MARKET = '0x017791f201d5a788e0039e511fc1900e5f000000000000000000000000000000'
const NEW_TOKEN = '663574927012476832975694178961957910328055987427402067619466963999000625152'

test.each([
  [
    'the settled book of one token',
    'v1',
    MARKET,
    UP,
    1_786_349_854_329,
    '0.001',
    '0.999',
    '757d5c16f528557f9f563d167b5ca79b5bac7a7c',
  ],
  [
    'that of the other token',
    'v1',
    MARKET,
    DOWN,
    1_786_349_854_329,
    '0.001',
    '0.999',
    '46eb4059bf9b73848bd3a16e308b1f37a23660d3',
  ],
  [
    'an empty book with a version',
    'v2',
    NEW_MARKET,
    NEW_TOKEN,
    1_791_238_858_575,
    '0.01',
    '',
    'fc3846cab0c35a0977b6e5f605a4e5ff0d0b2277',
  ],
] as const)(
  '%s has the hash that the venue published',
  (_, version, marketId, tokenId, atMs, tick, lastTrade, published) => {
    const rule = expectedRule(version)
    const facts = { marketId, tokenId, minOrderSize: '5', negRisk: false }
    expect(hash('sha1', rule.head(facts, atMs, '', '', tick) + lastTrade + rule.tail)).toBe(published)
  },
)
