import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleScene, complaintsOf, PATIENTLY, SOON } from './console-scene.ts'

/** The free tier has 60 requests a minute. */
const EVERY_MS = 500
/** The service promises 5 s for a secret without an overlap; the machine may pause meanwhile. */
const REFUSED = { timeout: 12_000, interval: EVERY_MS }
const OVERLAP_SECONDS = 6

let scene: ConsoleScene

beforeAll(async () => {
  scene = await ConsoleScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function validate(key: string): Promise<number> {
  return (await fetch(`${scene.origin}/v1/api-keys/validate`, { headers: { 'x-api-key': key } })).status
}

/** Creates a key and returns its secret; the dialog with the secret is left open. */
async function createKey(page: Page, label: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill(label)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  return (await page.locator('#secret').textContent()) ?? ''
}

async function storeKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function revoke(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: `Revoke ${label}` }).click()
  await page.getByRole('dialog').getByRole('textbox').fill(label)
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a user signs in, creates a key, uses it, revokes it and signs out', PATIENTLY, async () => {
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.frame().url().startsWith(scene.origin) && !request.isNavigationRequest()) asked.push(request.url())
  })
  await scene.signIn(page, 'ada')
  await page.getByText('You have no API key yet').waitFor()
  const key = await createKey(page, 'research notebook')
  expect(await validate(key)).toBe(200)
  await page.getByRole('button', { name: 'Copy the key' }).click()
  await page.getByRole('button', { name: 'Copied the key' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await page.getByText(`BOOKREEL_KEY=${key}`).waitFor()
  await scene.picture(page, 'key-made')

  // Only its button closes the dialog, because the key is never shown again.
  for (let count = 0; count < 3; count++) await page.keyboard.press('Escape')
  await page.locator('#secret').waitFor()
  await storeKey(page)
  expect(await page.content()).not.toContain(key)

  await page.getByText('The free tier allows 1 working key. To create another one, revoke a key first').waitFor()
  expect(await page.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Revoke research notebook' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Revoke' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill('research')
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('textbox').fill('research notebook')
  await confirm.click()
  await page.getByText('The key has stopped working.', { exact: true }).waitFor()
  await page.getByText('You have no API key yet').waitFor()
  expect(await validate(key)).toBe(401)
  await expect.poll(() => page.getByRole('button', { name: 'Create key' }).isDisabled(), SOON).toBe(false)

  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('link', { name: 'Sign in and create a key' }).waitFor()
  expect(page.url()).toBe(`${scene.origin}/app`)
  expect(await page.context().cookies(scene.origin)).toEqual([])
  expect(asked.filter((url) => !url.startsWith(scene.origin))).toEqual([])
  expect(asked.filter((url) => url.includes(key))).toEqual([])
  expect(complaints).toEqual([])
})

test('a key is limited and renamed, then rotated with an overlap', PATIENTLY, async () => {
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
  expect(await Promise.all([validate(first), validate(second)])).toEqual([200, 200])
  await row.getByText('old secret works until').waitFor()

  await page.getByRole('button', { name: 'Rotate trading bot' }).click()
  await page.getByLabel('Not at all').check()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const third = (await page.locator('#secret').textContent()) ?? ''
  await storeKey(page)
  await expect.poll(() => Promise.all([first, second, third].map(validate)), REFUSED).toEqual([401, 401, 200])
  expect(complaints).toEqual([])
})

test('a former secret works until the moment that the answer names, and is then refused', PATIENTLY, async () => {
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
    const status = await validate(former)
    if (sentMs > untilMs) late = status
    else if (Date.now() < untilMs) inTime.push(status)
    await sleep(EVERY_MS)
  }
  expect(new Set(inTime)).toEqual(new Set([200]))
  expect([late, await validate(key)]).toEqual([401, 200])
})

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

test('markup in the name of a key is shown as text and runs nothing', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'markup')
  const labels = ['<img src=x onerror="window.ran=1">', '<script>window.ran=1</script>', 'a‮b']
  for (const label of labels) {
    await createKey(page, label)
    await storeKey(page)
    const shown = label.replace('‮', '')
    await expect.poll(() => page.locator('td bdi').allTextContents(), SOON).toEqual([shown])
    expect(await page.locator('table').locator('img, script').count()).toBe(0)
    expect(await page.evaluate('window.ran')).toBeUndefined()
    await revoke(page, shown)
    await page.getByText('You have no API key yet').waitFor()
  }
})

test('a refused key is explained in the dialog that asked for it', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'refused')
  await page.getByText('You have no API key yet').waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  expect(await scene.postElsewhere(page, '/v1/api-keys', { label: 'from elsewhere' })).toBe(201)
  await page.getByLabel('Label').fill('one too many')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const alert = page.getByRole('dialog').getByRole('alert')
  await alert.getByText('The free tier allows 1 working key. Revoke a key first, or upgrade.').waitFor()
  await alert.getByText(/Request id: [\w-]+/).waitFor()
  expect(await page.getByLabel('Label').inputValue()).toBe('one too many')
  await scene.picture(page, 'key-refused')
  await page.keyboard.press('Escape')
  // The list is fetched again after the refusal, so the key from elsewhere is there.
  await page.getByRole('button', { name: 'Revoke from elsewhere' }).waitFor()
})

test('a request that may return a secret cannot be cancelled while it runs', PATIENTLY, async () => {
  const page = await scene.newPage()
  await scene.signIn(page, 'waits')
  await page.getByText('You have no API key yet').waitFor()
  const mayGoOn = Promise.withResolvers<void>()
  await page.route('**/v1/api-keys', async (route) => {
    if (route.request().method() === 'POST') await mayGoOn.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill('slow')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect.poll(() => page.getByRole('button', { name: 'Cancel' }).isDisabled(), SOON).toBe(true)
  for (let count = 0; count < 3; count++) await page.keyboard.press('Escape')
  mayGoOn.resolve()
  expect(await validate((await page.locator('#secret').textContent()) ?? '')).toBe(200)
  await storeKey(page)
})
