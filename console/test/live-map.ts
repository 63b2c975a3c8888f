import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { SOON } from './console-scene.ts'

/** Reads what a map draws: its data, view and painter. */
export function ofMap<T>(page: Page, expression: string): Promise<T> {
  return page.evaluate(
    `(({ data, view, painter }) => (${expression}))(document.querySelector('figure [role=img]').heatMap)`,
  )
}

export async function untilMoving(page: Page): Promise<void> {
  // Small screens show the ladder first.
  await page.locator('[role=img][aria-label^="Heat map"]').waitFor({ state: 'attached' })
  const newest = () =>
    page.evaluate<number>("document.querySelector('figure [role=img]')?.heatMap?.data.rings[0].newest ?? 0")
  await expect.poll(newest, SOON).toBeGreaterThan(0)
  const first = await newest()
  await expect.poll(newest, SOON).toBeGreaterThan(first)
}

/** Presses the button, unless the page has tried by itself meanwhile. */
export async function tryAgain(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Try again' })
  await Promise.race([button.click().catch(() => {}), button.waitFor({ state: 'detached' })])
}

export interface ReadColumn {
  readonly number: number
  readonly bids: string
  readonly asks: string
  readonly stored: number
  readonly expected: number
}

/** Every column of a level in a range of time, with all its bytes. */
export function columnsOf(page: Page, level: number, fromMs: number, toMs: number): Promise<ReadColumn[]> {
  return ofMap(
    page,
    `(() => {
      const ring = data.rings[${level}]
      const list = []
      for (let number = data.numberAt(${level}, ${fromMs}); number < data.numberAt(${level}, ${toMs}); number++) {
        const place = ring.placeOf(number)
        if (place === undefined) { list.push({ number }); continue }
        const bytes = (all) => Array.from(all.subarray(place * ring.rows, (place + 1) * ring.rows)).join()
        list.push({ number, bids: bytes(ring.bids), asks: bytes(ring.asks), stored: ring.stored[place],
          expected: ring.expected[place], suspect: ring.suspect[place],
          best: String([ring.bestBid[place], ring.bestAsk[place]]) })
      }
      return list
    })()`,
  )
}

/** Notes when a page first shows a proved book, and when its book has moved; milliseconds since the page was requested. */
export async function noteFirstBook(page: Page): Promise<() => Promise<{ provedMs?: number; movedMs?: number }>> {
  await page.addInitScript(`(() => {
    const seen = (globalThis.seen = {})
    const books = new Set()
    const look = () => {
      const map = document.querySelector('figure [role=img]')?.heatMap
      if (map?.data.rings[0].newest !== undefined) books.add(map.data.nowMs)
      if (books.size > 2) seen.movedMs ??= performance.now()
      if (document.querySelector('main header')?.textContent.includes('Proved')) seen.provedMs ??= performance.now()
      if (seen.movedMs === undefined || seen.provedMs === undefined) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })()`)
  return () => page.evaluate('seen')
}

/** A page that is opened in a gap shows why, since when, and the last book greyed. */
export async function expectLastBookInGap(page: Page): Promise<void> {
  await page.getByText('In a gap: disconnected').waitFor()
  await page.getByText(/^Not to be trusted since .* · disconnected$/).waitFor()
  expect(await page.locator('table[data-doubt=true] tr[data-side=bid]').count()).toBeGreaterThan(0)
  expect(await ofMap(page, 'data.openGap.text')).toBe('missing: disconnected')
  await page.context().close()
}
