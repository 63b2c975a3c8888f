import { expect } from 'vitest'
import { complaintsOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'
import { HistoryVisit } from './history-visit.ts'
import { ofMap } from './live-map.ts'
import { GAP, slotMs } from './past-hour-market.ts'

/** Two tokens for each stored slot, 1,000 rows a credit. */
const STRETCH = { first: GAP.first - 40, slots: 600 }
const STRETCH_CREDITS = Math.ceil((2 * (STRETCH.slots - (GAP.last - GAP.first + 1))) / 1_000)

test(
  'playing costs what the button said, also when it is fast, and going back is free',
  PATIENTLY,
  async ({ scene, world }) => {
    const search = `from=${slotMs(STRETCH.first)}&to=${slotMs(STRETCH.first + STRETCH.slots)}&speed=max`
    const visit = await HistoryVisit.begin(scene, world, { search })
    const { page } = visit
    const complaints = complaintsOf(page)
    const before = await visit.credits()
    let sockets = 0
    page.on('websocket', () => sockets++)
    await page.getByRole('button', { name: `Play 2 min 30 s · ${STRETCH_CREDITS} credits` }).click()
    await page.getByRole('button', { name: 'Back to the start' }).waitFor()
    expect(await visit.playhead()).toBe(slotMs(STRETCH.first + STRETCH.slots - 1))
    await expect.poll(() => visit.credits(), SOON).toBe(before - STRETCH_CREDITS)
    await page.getByRole('button', { name: 'Back to the start' }).click()
    // Every slot is known, also those of the gap: nothing was skipped.
    await page.getByRole('button', { name: 'Play 2 min 30 s · free' }).click()
    await page.getByRole('button', { name: 'Back to the start' }).waitFor()
    expect(await visit.credits()).toBe(before - STRETCH_CREDITS)
    expect(sockets).toBe(1)
    expect(complaints).toEqual([])
  },
)

test(
  'without streams looking is free, a gap is hatched with its cause, and the page says what playing needs',
  PATIENTLY,
  async ({ scene, world }) => {
    const visit = await HistoryVisit.begin(scene, world, { tier: 'free' })
    const { page } = visit
    const before = await visit.credits()
    await visit.untilStored()
    await page.getByText('Playing uses a stream, which your tier does not include').waitFor()
    expect(await visit.playButton.isDisabled()).toBe(true)
    const causes = () =>
      ofMap(page, `data.gapsBetween(${slotMs(GAP.first)}, ${slotMs(GAP.last)}).map(({ cause }) => cause)`)
    await expect.poll(causes, SOON).toEqual(['disconnected'])
    await page.keyboard.press(']')
    await page.getByText('No row: disconnected; the last book before it').waitFor()
    expect(await visit.credits()).toBe(before)
  },
)
