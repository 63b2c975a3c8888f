import { newWorker } from '../new-worker.ts'
import type { FeedCommand, FeedEnd, FeedMessage, FeedUpdate } from './feed-messages.ts'
import workerAddress from './stream-worker.ts?worker&url'

interface FeedEvents {
  readonly onTicket: (openedAt: string) => void
  readonly onUpdate: (update: FeedUpdate) => void
  readonly onEnd: (end: FeedEnd) => void
}

/** Reads the stream in a worker of its own. Returns a function that ends it. */
export function openFeed(command: FeedCommand, { onTicket, onUpdate, onEnd }: FeedEvents): () => void {
  const worker = newWorker(workerAddress)
  worker.onmessage = ({ data }: MessageEvent<FeedMessage>) => {
    if (data.kind === 'ticket') onTicket(data.openedAt)
    else if (data.kind === 'update') onUpdate(data.update)
    else onEnd(data.end)
  }
  worker.onerror = () => onEnd(FAILED)
  worker.postMessage(command)
  return () => worker.terminate()
}

const FAILED = { code: 'page_failed', message: 'The part of the page that reads the stream failed. Reload the page.' }
