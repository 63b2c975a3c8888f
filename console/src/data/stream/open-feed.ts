import { newWorker } from '../new-worker.ts'
import type { FeedCommand, FeedMessage, FeedRequest } from './feed-messages.ts'
import type { LiveMarket } from './live-market.ts'
import workerAddress from './stream-worker.ts?worker&url'

/** Reads the stream in a worker of its own. Returns a function that ends it. */
export function openFeed(request: FeedRequest, market: LiveMarket): () => void {
  const worker = newWorker(workerAddress)
  worker.onmessage = ({ data }: MessageEvent<FeedMessage>) => {
    if (data.kind === 'update') market.apply(data.update, Date.now())
    else market.ended(data.end, Date.now())
  }
  worker.onerror = () => market.ended(FAILED, Date.now())
  worker.postMessage({ kind: 'open', request } satisfies FeedCommand)
  return () => worker.terminate()
}

const FAILED = { code: 'internal', message: 'The part of the page that reads the stream failed. Reload the page.' }
