import type { Random } from '@bookreel/simulator/world/random'
import type { Facts } from './valid-values.ts'

const HOUR_MS = 3_600_000
const MOST_MARKETS = 5
const CREDITS = 1_000

/** Valid bodies by the id of the operation; the first of each is one that a new account can send. */
const BODIES: Readonly<Record<string, (facts: Facts, draw: Random) => readonly object[]>> = {
  create_api_key: () => [{ label: 'lab' }, { label: 'lab', scopes: ['live'], creditLimit: 100 }],
  change_api_key: (_, draw) => [
    { label: 'lab, changed' },
    { creditLimit: draw.whole(0, CREDITS) },
    { creditLimit: null, expiresAt: null },
    { label: 'ends', expiresAt: new Date(Date.now() + draw.whole(1, 24) * HOUR_MS).toISOString() },
  ],
  // While a former secret works, a key can be rotated only without an overlap.
  rotate_api_key: (_, draw) => [{ overlapSeconds: 0 }, { overlapSeconds: draw.whole(0, 60) }, {}],
  // The tier of these accounts is set by an operator, so they cannot buy another one.
  create_invoice: () => [{ pack: 'credits_10k' }, { pack: 'pro_monthly' }],
  estimate: (facts, draw) => {
    const { pastMarket, markets } = facts
    const some = Array.from({ length: draw.whole(1, MOST_MARKETS) }, () => draw.pick(markets).id)
    const [from, to] = [pastMarket.fromMs, Date.now()].map((ms) => new Date(ms).toISOString())
    const products = ['hours', 'snapshots', 'replay']
    return [
      { product: 'hours', markets: [pastMarket.id], from, to },
      { product: draw.pick(products), markets: some, from, to },
      { product: draw.pick(['hours', 'snapshots']), category: draw.pick(['crypto', 'sports', 'weather']), from, to },
      { product: 'hours', coin: draw.pick(['BTC', 'ETH']), timeframe: draw.pick(['5m', '1h']), venue: 'all', from, to },
    ]
  },
}

export type ChosenBody = 'first' | 'any'

/** Undefined for operations without a body. */
export function validBody(
  operation: string,
  facts: Facts,
  draw: Random,
  chosen: ChosenBody = 'any',
): string | undefined {
  const bodies = BODIES[operation]?.(facts, draw)
  if (bodies === undefined) return undefined
  return JSON.stringify(chosen === 'first' ? bodies[0] : draw.pick(bodies))
}
