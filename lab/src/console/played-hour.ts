import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../experiment.ts'
import { MADE_UP_INTERVAL_MS } from '../made-up-market.ts'
import type { ConsoleBench } from './console-bench.ts'
import { isWhollyDrawn } from './heat-map-drawing.ts'
import type { Smoothness, WatchedPage } from './watched-page.ts'

export interface PlayedHour extends Smoothness {
  readonly seconds: number
  /** Whether the playhead stopped at the end of the range. */
  readonly isAtEnd: boolean
  /** Whether playing all of it again is free: the page then has every slot. */
  readonly isComplete: boolean
}

const END_WITHIN_MS = 600_000
const SCRUBBED_MS = 10_000
const STEPS = 200

interface PlayedSeconds extends Smoothness {
  /** How far the playhead moved. */
  readonly slots: number
}

/** The first seconds of a replay. */
export async function smoothReplay(
  bench: ConsoleBench,
  path: string,
  seconds: number,
  progress: Progress,
): Promise<PlayedSeconds> {
  const watched = await playing(bench, path)
  const playhead = async (): Promise<number> => Number(await playheadOf(watched).inputValue())
  let movedMs = 0
  const measured = await watched.smoothness(async () => {
    progress(`replay for ${seconds} s`)
    const fromMs = await playhead()
    await sleep(seconds * 1_000)
    movedMs = (await playhead()) - fromMs
  })
  await watched.close()
  return { ...measured, slots: movedMs / MADE_UP_INTERVAL_MS }
}

/** A replay up to its end. */
export async function playWhole(bench: ConsoleBench, path: string, progress: Progress): Promise<PlayedHour> {
  progress('replay at max, up to the end')
  const startedAt = performance.now()
  const watched = await playing(bench, path)
  const { page } = watched
  const atEnd = page.getByRole('button', { name: 'Back to the start' })
  let isAtEnd = true
  const measured = await watched.smoothness(async () => {
    await atEnd.waitFor({ timeout: END_WITHIN_MS }).catch(() => {
      isAtEnd = false
    })
  })
  const seconds = (performance.now() - startedAt) / 1_000
  if (isAtEnd) await atEnd.click()
  const again = page.getByRole('button', { name: /^Play .* · free$/ })
  const isComplete = isAtEnd && (await again.waitFor().then(YES, NO))
  await watched.close()
  return { ...measured, seconds, isAtEnd, isComplete }
}

const YES = (): boolean => true
const NO = (): boolean => false

/** Number of requests while the playhead is dragged back and forth. */
export async function requestsOfScrubbing(bench: ConsoleBench, path: string, progress: Progress): Promise<number> {
  progress('scrubbing')
  const watched = await bench.newPage()
  const { page } = watched
  await watched.readyAfter(`${bench.origin}${path}`, isWhollyDrawn(bench.past))
  await page.waitForLoadState('networkidle')
  const box = await playheadOf(watched).boundingBox()
  if (box === null) throw new Error('the page shows no slider')
  const y = box.y + box.height / 2
  let requests = 0
  page.on('request', () => requests++)
  await page.mouse.move(box.x + 5, y)
  await page.mouse.down()
  for (let step = 0; step < STEPS; step++) {
    const share = 0.5 - 0.5 * Math.cos((6 * Math.PI * step) / STEPS)
    await page.mouse.move(box.x + 5 + share * (box.width - 10), y)
    await sleep(SCRUBBED_MS / STEPS)
  }
  await page.mouse.up()
  await watched.close()
  return requests
}

function playheadOf({ page }: WatchedPage) {
  return page.getByRole('slider', { name: 'Playhead' })
}

async function playing(bench: ConsoleBench, path: string): Promise<WatchedPage> {
  const watched = await bench.newPage()
  await watched.readyAfter(`${bench.origin}${path}`, isWhollyDrawn(bench.past))
  await watched.page.getByRole('button', { name: /^Play\b/ }).click()
  await watched.page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  return watched
}
