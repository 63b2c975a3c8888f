import { z } from 'zod'

/** Members as sections 2.2 to 2.4 of the interface describe them; a client ignores all others. */

const LiveMarket = z.object({
  conditionId: z.string().startsWith('0x'),
  category: z.string(),
  subcategory: z.string(),
  label: z.string(),
  tokenIds: z.tuple([z.string(), z.string()]),
  outcomes: z.tuple([z.string(), z.string()]),
  configId: z.string(),
  slug: z.string(),
  expired: z.boolean(),
  expiresIn: z.int(),
})

const SingleMarket = z.object({
  market_id: z.string(),
  category: z.string(),
  subcategory: z.string(),
  label: z.string(),
  question: z.string(),
  crypto: z.string().optional(),
  crypto_price: z.number().optional(),
  timeframe: z.string(),
  slug: z.string(),
  token_ids: z.tuple([z.string(), z.string()]),
  outcomes: z.tuple([z.string(), z.string()]),
  token_id_up: z.string(),
  token_id_down: z.string(),
  end_date: z.iso.datetime(),
  active: z.boolean(),
  expired: z.boolean(),
  expires_in: z.int(),
})

const Level = z.object({ price: z.number(), size: z.number() })
const TokenBook = z.object({
  tokenId: z.string(),
  timestamp: z.int(),
  eventTimestamp: z.int(),
  captureTimestamp: z.int(),
  sequenceNumber: z.int(),
  outcomeIndex: z.int(),
  bestBid: z.number(),
  bestAsk: z.number(),
  midPrice: z.number(),
  spread: z.number(),
  bidDepth: z.number(),
  askDepth: z.number(),
  bids: z.array(Level),
  asks: z.array(Level),
})

const Orderbook = z.object({
  market_id: z.string(),
  marketId: z.string(),
  category: z.string(),
  subcategory: z.string(),
  label: z.string(),
  question: z.string(),
  timeframe: z.string(),
  slug: z.string(),
  crypto: z.string(),
  crypto_price: z.number().optional(),
  cryptoPrice: z.number().optional(),
  up: TokenBook,
  down: TokenBook,
})

/** The bare list, camelCase members and `{price, size}` levels; it never sends `form`. */
export class DescribedClient {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  live(query = ''): Promise<z.infer<typeof LiveMarket>[]> {
    return this.#read(z.array(LiveMarket), `/v1/markets/live${query}`)
  }

  market(slug: string): Promise<z.infer<typeof SingleMarket>> {
    return this.#read(SingleMarket, `/v1/markets/by-slug/${slug}`)
  }

  orderbook(id: string): Promise<z.infer<typeof Orderbook>> {
    return this.#read(Orderbook, `/v1/markets/${id}/orderbook`)
  }

  orderbookBySlug(slug: string): Promise<z.infer<typeof Orderbook>> {
    return this.#read(Orderbook, `/v1/markets/by-slug/${slug}/orderbook`)
  }

  async #read<Schema extends z.ZodType>(schema: Schema, path: string): Promise<z.output<Schema>> {
    const answer = await fetch(`${this.#url}${path}`, { headers: { 'x-api-key': this.#key } })
    return schema.parse(await answer.json())
  }
}
