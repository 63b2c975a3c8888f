import type { Page } from '@bookreel/testbed/browser/real-browser'
import { type Devtools, heapBytes } from './worker-heaps.ts'

/** Runs in the page before its own scripts. */
const WATCH = `
  globalThis.lab = { shift: 0, longTasks: [], frames: [], isCounting: false }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) lab.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (lab.isCounting) lab.longTasks.push(entry.duration)
  }).observe({ type: 'longtask' })
  let before
  const frame = (now) => {
    if (lab.isCounting && before !== undefined) lab.frames.push(now - before)
    before = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
`

export interface Smoothness {
  /** Share of animation frames that took longer than the bound, in %. */
  readonly slowFrames: number
  readonly longTasks: number
  /** Share of the time in which the main thread worked, in %. */
  readonly busy: number
  /** Share of the time in which it ran scripts, in %; the rest of its work is styles, layout and painting. */
  readonly scripts: number
}

const SLOW_FRAME_MS = 17
const READY_WITHIN_MS = 60_000

/** Runs in the page. What was drawn when the expression became true is on the screen one frame later. */
const whenShown = (expression: string, value: string): string => `new Promise((resolve, reject) => {
  const lastMs = performance.now() + ${READY_WITHIN_MS}
  const look = () => {
    if (performance.now() > lastMs) return reject(new Error('the page was not ready in time'))
    if (!(${expression})) return requestAnimationFrame(look)
    requestAnimationFrame(() => resolve(${value}))
  }
  look()
})`

/** A page of which layout shifts, long tasks and animation frames are counted. */
export class WatchedPage {
  readonly page: Page

  private constructor(page: Page) {
    this.page = page
  }

  static async of(page: Page): Promise<WatchedPage> {
    await page.addInitScript(WATCH)
    return new WatchedPage(page)
  }

  /** Another tab of the same browser. */
  async newTab(): Promise<WatchedPage> {
    return WatchedPage.of(await this.page.context().newPage())
  }

  /** Milliseconds from a moment of the load, by default the last byte of the HTML, until an expression is true. */
  async readyAfter(
    address: string,
    expression: string,
    since: 'startTime' | 'responseStart' | 'responseEnd' = 'responseEnd',
  ): Promise<number> {
    await this.page.goto(address, { waitUntil: 'commit' })
    const passed = `performance.now() - performance.getEntriesByType('navigation')[0].${since}`
    return (await this.page.evaluate(whenShown(expression, passed))) as number
  }

  /** When an expression becomes true in the page; milliseconds since 1970. */
  shownAt(expression: string): Promise<number> {
    return this.page.evaluate(whenShown(expression, 'Date.now()'))
  }

  /** The same in a tab behind another one, which gets animation frames once a second only. */
  changedAt(expression: string): Promise<number> {
    return this.page.evaluate(`new Promise((resolve) => {
      const look = () => (${expression}) && resolve(Date.now())
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
      look()
    })`)
  }

  /** With everything that belongs to it. */
  close(): Promise<void> {
    return this.page.context().close()
  }

  shift(): Promise<number> {
    return this.page.evaluate('lab.shift')
  }

  /** While something happens for some time. */
  async smoothness(during: () => Promise<void>): Promise<Smoothness> {
    const devtools = await this.page.context().newCDPSession(this.page)
    await devtools.send('Performance.enable')
    const [before, startedAt] = [await worked(devtools), performance.now()]
    await this.page.evaluate('lab.isCounting = true')
    await during()
    const counted = (await this.page.evaluate(
      '({ frames: lab.frames, longTasks: lab.longTasks, stopped: (lab.isCounting = false) })',
    )) as { frames: number[]; longTasks: number[] }
    const after = await worked(devtools)
    const took = performance.now() - startedAt
    await devtools.detach()
    const slow = counted.frames.filter((ms) => ms > SLOW_FRAME_MS).length
    return {
      slowFrames: (100 * slow) / Math.max(1, counted.frames.length),
      longTasks: counted.longTasks.length,
      busy: (100 * (after.allMs - before.allMs)) / took,
      scripts: (100 * (after.scriptsMs - before.scriptsMs)) / took,
    }
  }

  /** Megabytes of the page and its workers, after garbage was collected. */
  async heapMb(): Promise<number> {
    const devtools = await this.page.context().newCDPSession(this.page)
    const bytes = await heapBytes(devtools)
    await devtools.detach()
    return bytes / 1e6
  }
}

async function worked(devtools: Devtools): Promise<{ allMs: number; scriptsMs: number }> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  const ms = (named: string): number => 1_000 * (metrics.find(({ name }) => name === named)?.value ?? 0)
  return { allMs: ms('TaskDuration'), scriptsMs: ms('ScriptDuration') }
}
