import { WebSocket } from 'ws'

interface ListenOptions {
  /** Host and port of a running simulator. */
  base: string
  slug: string | undefined
  isRaw: boolean
  print: (line: string) => void
}

interface FoundMarket {
  slug: string
  question: string
  clobTokenIds: string | null
  positionIds?: string[]
}

/** Prints the live frames of one market of a running simulator. */
export async function listen({ base, slug, isRaw, print }: ListenOptions): Promise<void> {
  const market = await findMarket(base, slug)
  const tokens = market.positionIds ?? (JSON.parse(market.clobTokenIds ?? '[]') as string[])
  print(`${market.question}  (${market.slug})`)
  const socket = new WebSocket(`ws://${base}/polymarket/ws/market`)
  const heartbeat = setInterval(() => socket.send('PING'), 10_000)
  socket.on('open', () =>
    socket.send(JSON.stringify({ assets_ids: tokens, type: 'market', custom_feature_enabled: true })),
  )
  socket.on('message', (data: Buffer) => print(isRaw ? data.toString() : shortLine(data.toString(), tokens)))
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => resolve())
  })
  clearInterval(heartbeat)
}

async function findMarket(base: string, slug: string | undefined): Promise<FoundMarket> {
  const path =
    slug === undefined ? '/events?series_id=10684&order=endDate&limit=1' : `/markets/slug/${encodeURIComponent(slug)}`
  const answer = await fetch(`http://${base}/gamma${path}`).catch(() => {
    throw new Error(`No simulator is running at ${base}. Start one with: npm run sim`)
  })
  if (!answer.ok)
    throw new Error(
      `No market has the slug ${slug}. List slugs with: curl 'http://${base}/gamma/markets/keyset?limit=10'`,
    )
  const found = (await answer.json()) as FoundMarket | { markets: FoundMarket[] }[]
  const market = Array.isArray(found) ? found[0]?.markets[0] : found
  if (market === undefined)
    throw new Error('This simulated world has no five-minute Bitcoin window. Give the slug of another market.')
  return market
}

function shortLine(text: string, tokens: readonly string[]): string {
  if (!text.startsWith('{') && !text.startsWith('[')) return text
  const frame = JSON.parse(text)
  const sideOf = (token: string): string => (token === tokens[0] ? 'UP  ' : 'DOWN')
  if (Array.isArray(frame)) return frame.map((book) => bookLine(book, sideOf(book.asset_id))).join('\n')
  switch (frame.event_type) {
    case 'book':
      return bookLine(frame, sideOf(frame.asset_id))
    case 'price_change':
      return frame.price_changes
        .map(
          (entry: Record<string, string>) =>
            `price_change     ${sideOf(entry.asset_id ?? '')} ${entry.side?.padEnd(4)} ${entry.size?.padStart(10)} @ ${entry.price?.padEnd(6)} best ${entry.best_bid} / ${entry.best_ask}`,
        )
        .join('\n')
    case 'last_trade_price':
      return `last_trade_price ${sideOf(frame.asset_id)} ${frame.side.padEnd(4)} ${frame.size.padStart(10)} @ ${frame.price}`
    default:
      return `${String(frame.event_type).padEnd(16)} ${text.slice(0, 120)}…`
  }
}

function bookLine(book: { bids: { price: string }[]; asks: { price: string }[]; hash: string }, side: string): string {
  return `book             ${side} ${book.bids.length} bids, ${book.asks.length} asks, best ${book.bids.at(-1)?.price ?? '–'} / ${book.asks.at(-1)?.price ?? '–'}, hash ${book.hash.slice(0, 8)}…`
}
