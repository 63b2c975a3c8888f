/** Reads the stream of a market page beside the page, so that decoding never delays drawing. */
import { Bookreel, BookreelError } from '@bookreel/sdk'
import type { FeedCommand, FeedEnd, FeedMessage } from './feed-messages.ts'
import { MarketFeed } from './market-feed.ts'
import { PageTickets } from './page-tickets.ts'

/** Twenty updates a second are more than eyes can tell apart. */
const UPDATE_EVERY_MS = 50

const worker = self as unknown as {
  onmessage: ((event: MessageEvent<FeedCommand>) => void) | null
  postMessage(message: FeedMessage): void
}

worker.onmessage = ({ data }) => void read(data)

async function read({ request, opened }: FeedCommand): Promise<void> {
  const feed = new MarketFeed(request)
  const timer = setInterval(() => {
    const update = feed.take()
    if (update !== undefined) worker.postMessage({ kind: 'update', update })
  }, UPDATE_EVERY_MS)
  try {
    const tickets = new PageTickets(opened)
    const { streamUrl, openedAt } = await tickets.first()
    worker.postMessage({ kind: 'ticket', openedAt })
    const client = new Bookreel({ baseUrl: location.origin, streamUrl, ticket: () => tickets.next() })
    const channels = ['book', 'trade', 'market', 'status'] as const
    const options = { mode: 'delta' } as const
    for await (const event of client.stream({ selectors: [request.selector], channels, options })) feed.apply(event)
  } catch (error) {
    worker.postMessage({ kind: 'end', end: endOf(error) })
  } finally {
    clearInterval(timer)
  }
}

function endOf(error: unknown): FeedEnd {
  if (!(error instanceof BookreelError)) return { code: 'internal', message: String(error) }
  const { code, message, status } = error
  return { code, message, ...(status !== undefined && { status }) }
}
