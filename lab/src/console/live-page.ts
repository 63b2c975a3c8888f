import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../experiment.ts'
import type { ConsoleBench } from './console-bench.ts'
import { IS_DRAWN } from './heat-map-drawing.ts'
import type { Smoothness, WatchedPage } from './watched-page.ts'

export const LIVE_PAGE = '/app/m/BTC/5m'
const SETTLED_MS = 3_000

export async function smoothLive(bench: ConsoleBench, seconds: number, progress: Progress): Promise<Smoothness> {
  const watched = await livePage(bench)
  const measured = await watched.smoothness(() => waiting('live page', seconds, progress))
  await watched.close()
  return measured
}

/** Megabytes, several times a minute. */
export async function heapOfLivePage(bench: ConsoleBench, minutes: number, progress: Progress): Promise<number[]> {
  const watched = await livePage(bench)
  const heap: number[] = []
  const untilMs = performance.now() + minutes * 60_000
  while (performance.now() < untilMs || heap.length < 2) {
    await waiting(`heap of a live page, ${heap.length} values`, Math.min(20, minutes * 10), progress)
    heap.push(await watched.heapMb())
  }
  await watched.close()
  return heap
}

async function livePage(bench: ConsoleBench): Promise<WatchedPage> {
  const watched = await bench.newPage()
  await watched.readyAfter(`${bench.origin}${LIVE_PAGE}`, IS_DRAWN)
  await sleep(SETTLED_MS)
  return watched
}

async function waiting(what: string, seconds: number, progress: Progress): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    progress(`${what}, ${second} of ${Math.round(seconds)} s`)
    await sleep(1_000)
  }
}
