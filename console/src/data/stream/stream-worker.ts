/** Reads the stream of a market page beside the page, so that decoding never delays drawing. */
import { Bookreel, BookreelError } from '@bookreel/sdk'
import { sessionRequest } from '../session-request.ts'
import type { FeedCommand, FeedEnd, FeedMessage, FeedRequest } from './feed-messages.ts'
import { MarketFeed } from './market-feed.ts'

/** Twenty updates a second are more than eyes can tell apart. */
const UPDATE_EVERY_MS = 50

interface Ticket {
  readonly ticket: string
  readonly url: string
}

const worker = self as unknown as {
  onmessage: ((event: MessageEvent<FeedCommand>) => void) | null
  postMessage(message: FeedMessage): void
}

let stop = new AbortController()

worker.onmessage = ({ data }) => {
  stop.abort()
  stop = new AbortController()
  if (data.kind === 'open') void read(data.request, stop.signal)
}

async function read(request: FeedRequest, signal: AbortSignal): Promise<void> {
  const feed = new MarketFeed(request)
  const timer = setInterval(() => {
    const update = feed.take()
    if (update !== undefined) worker.postMessage({ kind: 'update', update })
  }, UPDATE_EVERY_MS)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  try {
    const first = await newTicket()
    const unused = [first]
    const client = new Bookreel({
      baseUrl: location.origin,
      streamUrl: first.url,
      ticket: async () => (unused.pop() ?? (await newTicket())).ticket,
    })
    const channels = ['book', 'trade', 'market', 'status'] as const
    const options = { mode: 'delta' } as const
    for await (const event of client.stream({ selectors: [request.selector], channels, options }, { signal }))
      feed.apply(event)
  } catch (error) {
    if (signal.aborted) return
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

function newTicket(): Promise<Ticket> {
  return sessionRequest<Ticket>('/app/api/stream-tickets', 'POST')
}
