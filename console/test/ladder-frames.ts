import type { Page } from 'playwright-core'

/** Waits for so many frames in which the text of the ladder changes, and returns their times in milliseconds. */
export function framesOfLadder(page: Page, count: number): Promise<number[]> {
  return page.evaluate(`new Promise((resolve) => {
    const frames = []
    const observer = new MutationObserver(() => {
      frames.push(document.timeline.currentTime)
      if (frames.length < ${count}) return
      observer.disconnect()
      resolve(frames)
    })
    const ladder = document.querySelector('section[aria-label="Order book"] tbody')
    observer.observe(ladder, { childList: true, characterData: true, subtree: true })
  })`)
}
