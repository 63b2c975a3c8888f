// Nightly: the end of a former secret is waited for.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { complaintsOf, PATIENTLY } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'
import { createKey, storeKey, validate } from './key-dialogs.ts'

/** The free tier has 60 requests a minute. */
const EVERY_MS = 500
/** The service promises 5 s for a secret without an overlap; the machine may pause meanwhile. */
const REFUSED = { timeout: 12_000, interval: EVERY_MS }
const OVERLAP_SECONDS = 6

test('a key is limited and renamed, then rotated with an overlap', PATIENTLY, async ({ scene }) => {
  // The page asks for the credits of its month.
  await scene.account.syncClock()
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  await scene.signIn(page, 'rotates')
  const first = await createKey(page, 'bot')
  await storeKey(page)

  await page.getByRole('button', { name: 'Edit bot' }).click()
  await page.getByLabel('Label').fill('trading bot')
  await page.getByLabel('Credit limit per month').fill('2500')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The key was changed.').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'trading bot' })
  await row.getByText('0 of 2,500').waitFor()
  await row.getByText('never').waitFor()
  const { status } = await fetch(`${scene.origin}/v1/limits`, { headers: { 'x-api-key': first } })
  expect(status).toBe(200)
  // Without a reload.
  await row.getByText('1 · 1').waitFor()
  await row.getByText('never').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Rotate trading bot' }).click()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const second = (await page.locator('#secret').textContent()) ?? ''
  await storeKey(page)
  expect(second).not.toBe(first)
  expect(await Promise.all([validate(scene, first), validate(scene, second)])).toEqual([200, 200])
  await row.getByText('old secret works until').waitFor()

  await page.getByRole('button', { name: 'Rotate trading bot' }).click()
  await page.getByLabel('Not at all').check()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const third = (await page.locator('#secret').textContent()) ?? ''
  await storeKey(page)
  const statuses = () => Promise.all([first, second, third].map((key) => validate(scene, key)))
  await expect.poll(statuses, REFUSED).toEqual([401, 401, 200])
  expect(complaints).toEqual([])
})

test(
  'a former secret works until the moment that the answer names, and is then refused',
  PATIENTLY,
  async ({ scene }) => {
    const page = await scene.newPage()
    await scene.signIn(page, 'overlaps')
    const former = await createKey(page, 'bot')
    await storeKey(page)
    const { key, formerSecretUntil } = await rotated(page, OVERLAP_SECONDS)
    const untilMs = Date.parse(formerSecretUntil)
    // It is used all the time, because the service remembers a key for a while.
    const inTime: number[] = []
    let late: number | undefined
    while (late === undefined) {
      const sentMs = Date.now()
      const status = await validate(scene, former)
      if (sentMs > untilMs) late = status
      else if (Date.now() < untilMs) inTime.push(status)
      await sleep(EVERY_MS)
    }
    expect(new Set(inTime)).toEqual(new Set([200]))
    expect([late, await validate(scene, key)]).toEqual([401, 200])
  },
)

/** Gives the only key of the signed-in person another secret. */
function rotated(page: Page, overlapSeconds: number): Promise<{ key: string; formerSecretUntil: string }> {
  return page.evaluate(`(async () => {
    const [{ id }] = await fetch('/v1/api-keys').then((answer) => answer.json())
    const answer = await fetch('/v1/api-keys/' + id + '/rotate', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
      body: '{"overlapSeconds":${overlapSeconds}}',
    })
    return answer.json()
  })()`)
}
