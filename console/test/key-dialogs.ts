import type { Page } from 'playwright-core'
import type { ConsoleScene } from './console-scene.ts'

export async function validate({ origin }: ConsoleScene, key: string): Promise<number> {
  return (await fetch(`${origin}/v1/api-keys/validate`, { headers: { 'x-api-key': key } })).status
}

/** Creates a key and returns its secret; the dialog with the secret is left open. */
export async function createKey(page: Page, label: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill(label)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  return (await page.locator('#secret').textContent()) ?? ''
}

export async function storeKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
