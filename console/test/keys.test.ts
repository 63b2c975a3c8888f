import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { complaintsOf, PATIENTLY, SOON } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'
import { createKey, storeKey, validate } from './key-dialogs.ts'

async function revoke(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: `Revoke ${label}` }).click()
  await page.getByRole('dialog').getByRole('textbox').fill(label)
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a user signs in, creates a key, uses it, revokes it and signs out', PATIENTLY, async ({ scene }) => {
  const page = await scene.newPage()
  const complaints = complaintsOf(page)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.frame().url().startsWith(scene.origin) && !request.isNavigationRequest()) asked.push(request.url())
  })
  await scene.signInByForm(page, 'ada@example.test', '/app/keys')
  await page.getByText('You have no API key yet').waitFor()
  const key = await createKey(page, 'research notebook')
  expect(await validate(scene, key)).toBe(200)
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
  expect(await validate(scene, key)).toBe(401)
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

test('markup in the name of a key is shown as text and runs nothing', PATIENTLY, async ({ scene }) => {
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

test('a refused key is explained in the dialog that asked for it', PATIENTLY, async ({ scene }) => {
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

test('a request that may return a secret cannot be cancelled while it runs', PATIENTLY, async ({ scene }) => {
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
  expect(await validate(scene, (await page.locator('#secret').textContent()) ?? '')).toBe(200)
  await storeKey(page)
})
