/** A program for the client that is generated from the declared schema; it does not exist in this folder. */
export const DECLARED_PROGRAM = `
import { configure, getOrderbook, getOrderbookBySlug, getSnapshot, listLatestSnapshots, listLiveMarkets, listSnapshots } from './client.ts'
import type { Market, Orderbook, Snapshot, TokenBook } from './client.ts'

const [serverUrl = '', key = '', wanted = ''] = process.argv.slice(2)
configure({ serverUrl, auth: { apiKey: { key } } })
const form = 'declared'

const { markets } = await listLiveMarkets({ query: { form, category: 'crypto' } })
const market: Market | undefined = markets.find(({ condition_id, active }) => active && condition_id === wanted)
if (market === undefined) throw new Error('the market is not listed')
const { condition_id: id, slug } = market

const byId: Orderbook = await getOrderbook({ path: { id }, query: { form } })
const bySlug: Orderbook = await getOrderbookBySlug({ path: { slug }, query: { form } })
const list = await listSnapshots({ path: { id }, query: { form, limit: 6, side: 'UP' } })
const newest: Snapshot | undefined = list.snapshots[0]
const nearest = await getSnapshot({ query: { form, marketId: id, timestamp: newest?.capture_timestamp ?? '', includebook: true } })
const latest = await listLatestSnapshots({ query: { form, includebook: true } })

const tokenOf = (side: 'UP' | 'DOWN'): string | undefined => market.tokens.find((token) => token.side === side)?.token_id
const depthOf = ({ bids }: TokenBook): number => bids.slice(0, 5).reduce((sum, [, size = 0]) => sum + size, 0)

console.log(
  JSON.stringify({
    answers: { MarketList: [{ markets }], Orderbook: [byId, bySlug], SnapshotList: [list], Snapshot: [nearest, ...latest] },
    facts: {
      tokens: [byId.up.token_id === tokenOf('UP'), byId.down.token_id === tokenOf('DOWN')],
      depth: Math.abs(byId.up.depth5_bid - depthOf(byId.up)) < 1e-6,
      nearest: nearest.capture_timestamp === newest?.capture_timestamp && nearest.token_id === newest.token_id,
    },
  }),
)
`
