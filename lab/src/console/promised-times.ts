import { clearOfWindowEnd } from '@bookreel/testbed/clear-of-window-end'
import type { Progress } from '../experiment.ts'
import type { ConsoleBench } from './console-bench.ts'
import { HEAT_MAP, isWhollyDrawn } from './heat-map-drawing.ts'
import { LIVE_PAGE } from './live-page.ts'
import type { WatchedPage } from './watched-page.ts'

/** Milliseconds, one value for each round. */
export interface PromisedTimes {
  /** From the first byte of the start page until its sample is drawn. */
  readonly sample: number[]
  /** From opening a live page until its book is proved and has moved. */
  readonly proved: number[]
  /** From the first frame of a second tab until the first one says so and the book of the second one moves. */
  readonly takeover: number[]
  /** From the end of a session until the socket of its page is closed and the page greyed out. */
  readonly ended: number[]
}

const VISITOR = { width: 1_280, height: 900, theme: 'dark', role: 'visitor' } as const
/** The window must not end during one measurement. */
const TAKES_MS = 20_000

/** Runs in the page in every frame. A book is another one when the present of the map has moved. */
const hasMoved = (books: number): string => `(() => {
  const { data } = ${HEAT_MAP}?.heatMap ?? {}
  lab.moments ??= new Set()
  if (data?.rings[0].newest !== undefined && data.nowMs > 0) lab.moments.add(data.nowMs)
  return lab.moments.size >= ${books}
})()`
const IS_PROVED = `[...document.querySelectorAll('main header *')].some(({ textContent }) => /^Proved( once)?$/.test(textContent))`
const IS_PROVED_AND_MOVED = `${hasMoved(3)} && ${IS_PROVED}`
/** The first book may be one of before the stream. */
const HAS_STREAM = hasMoved(2)
const IS_TAKEN_OVER = `document.querySelector('main').textContent.includes('Live in another tab')`
const IS_GREYED_OUT = `document.querySelector('main').inert`

/** What the acceptance criteria of the console promise people who wait. */
export async function promisedTimes(bench: ConsoleBench, rounds: number, progress: Progress): Promise<PromisedTimes> {
  const times: PromisedTimes = { sample: [], proved: [], takeover: [], ended: [] }
  for (let round = 1; round <= rounds; round++) {
    progress(`sample, live book, second tab, end of a session: ${round} of ${rounds}`)
    times.sample.push(await untilSample(bench))
    await clearOfWindowEnd(TAKES_MS)
    times.proved.push(await untilProved(bench))
    await clearOfWindowEnd(TAKES_MS)
    times.takeover.push(await untilTakenOver(bench))
    await clearOfWindowEnd(TAKES_MS)
    times.ended.push(await untilEnded(bench, round))
  }
  return times
}

async function untilSample(bench: ConsoleBench): Promise<number> {
  const watched = await bench.newPage(VISITOR)
  const ms = await watched.readyAfter(`${bench.origin}/app`, isWhollyDrawn(bench.past), 'responseStart')
  await watched.close()
  return ms
}

async function untilProved(bench: ConsoleBench): Promise<number> {
  const watched = await bench.newPage()
  const ms = await watched.readyAfter(`${bench.origin}${LIVE_PAGE}`, IS_PROVED_AND_MOVED, 'startTime')
  await watched.close()
  return ms
}

async function untilTakenOver(bench: ConsoleBench): Promise<number> {
  const watched = await bench.newPage()
  await watched.readyAfter(`${bench.origin}${LIVE_PAGE}`, IS_PROVED_AND_MOVED)
  const second = await watched.newTab()
  const sentAt = new Promise<number>((resolve) => {
    second.page.on('websocket', (socket) => socket.once('framesent', () => resolve(Date.now())))
  })
  const toldAt = watched.changedAt(IS_TAKEN_OVER)
  await second.page.goto(`${bench.origin}${LIVE_PAGE}`, { waitUntil: 'commit' })
  const shownAt = await Promise.all([toldAt, second.shownAt(HAS_STREAM)])
  const ms = Math.max(...shownAt) - (await sentAt)
  await watched.close()
  return ms
}

async function untilEnded(bench: ConsoleBench, round: number): Promise<number> {
  const { accountId, watched } = await bench.newPersonsPage(`leaves-${round}@example.test`)
  const closedAt = closeOfSocket(watched)
  await watched.readyAfter(`${bench.origin}${LIVE_PAGE}`, IS_PROVED_AND_MOVED)
  const shownAt = watched.shownAt(IS_GREYED_OUT)
  const endedAt = Date.now()
  await bench.service.access.sessions.endAll(accountId)
  const ms = Math.max(await closedAt, await shownAt) - endedAt
  await watched.close()
  return ms
}

/** Of the first one that the page opens. */
function closeOfSocket({ page }: WatchedPage): Promise<number> {
  return new Promise((resolve) => {
    page.once('websocket', (socket) => socket.once('close', () => resolve(Date.now())))
  })
}
