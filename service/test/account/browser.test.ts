import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureProgram } from '@bookreel/stack/install/ensure-programs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { AccountScene } from './account-scene.ts'

const PICTURES = fileURLToPath(new URL('../../../out/account-page', import.meta.url))

let scene: AccountScene
let browser: Browser
let home: string
let people = 0

/** An overloaded service may refuse a page; the sign-in is then tried with another person. */
const PATIENTLY = { retry: 2, timeout: 60_000 }

beforeAll(async () => {
  const [opened, program] = await Promise.all([AccountScene.open(), ensureProgram('chromium', () => {})])
  scene = opened
  home = await mkdtemp(join(tmpdir(), 'bookreel-browser-'))
  browser = await chromium.launch({
    executablePath: program.path,
    args: ['--no-sandbox'],
    env: { HOME: home, ...(program.libraryPath !== undefined && { LD_LIBRARY_PATH: program.libraryPath }) },
  })
})
afterAll(async () => {
  await browser?.close()
  if (home !== undefined) await rm(home, { recursive: true, force: true, maxRetries: 5 })
  await scene?.[Symbol.asyncDispose]()
})

async function newPage(width = 1_000, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  page.on('dialog', (dialog) => void dialog.accept())
  return page
}

/** Screenshots for people who change the page, in `out`; nothing compares them. */
async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto(`${scene.origin}/account`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail').fill(name)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
}

async function validate(key: string): Promise<number> {
  return (await fetch(`${scene.origin}/v1/api-keys/validate`, { headers: { 'x-api-key': key } })).status
}

test('a user signs in, creates a key, uses it, revokes it and signs out', PATIENTLY, async () => {
  const page = await newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  const foreign: string[] = []
  page.on('request', (request) => {
    if (request.frame().url().startsWith(scene.origin) && !request.isNavigationRequest()) foreign.push(request.url())
  })
  await page.goto(`${scene.origin}/account`)
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await picture(page, '1-signed-out')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail').waitFor()
  await picture(page, '2-provider')
  await signIn(page, `ada.${people++}@example.test`)
  await picture(page, '3-signed-in')
  expect(await page.locator('#credits').textContent()).toBe('5,000')

  await page.getByLabel('Label').fill('research notebook')
  await page.getByRole('button', { name: 'Create key' }).click()
  const fresh = page.locator('#fresh-key')
  await fresh.waitFor()
  const key = (await fresh.textContent()) ?? ''
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await picture(page, '4-made')
  expect(await validate(key)).toBe(200)

  await page.getByLabel('Label').fill('one too many')
  await page.getByRole('button', { name: 'Create key' }).click()
  await expect
    .poll(() => page.locator('#notice').textContent())
    .toBe('The free tier allows 1 working key. Revoke a key first, or upgrade.')
  await picture(page, '5-refused')

  await page.getByRole('button', { name: 'Revoke research notebook' }).click()
  await page.locator('#no-keys').waitFor()
  expect(await validate(key)).toBe(401)

  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await page.context().cookies(scene.origin)).toEqual([])
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail').waitFor()

  expect(foreign.filter((url) => !url.startsWith(scene.origin))).toEqual([])
  // Chromium itself logs the refused key.
  expect(complaints.filter((text) => !text.includes('403'))).toEqual([])
})

test('scripts cannot read the cookie, and a page of another site cannot use it', PATIENTLY, async () => {
  const page = await newPage()
  await signIn(page, `target.${people++}@example.test`)
  const [cookie] = await page.context().cookies(scene.origin)
  expect(cookie).toMatchObject({ name: SESSION_COOKIE, httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
  expect(await page.evaluate('document.cookie')).toBe('')

  // Another origin on this machine, in the same browser.
  const elsewhere = await page.context().newPage()
  await elsewhere.goto(`${scene.stack.variable('OIDC_ISSUER')}/.well-known/openid-configuration`)
  const attempts = (await elsewhere.evaluate(`(async () => {
    const send = (options) => fetch('${scene.origin}/v1/api-keys', { method: 'POST', credentials: 'include', ...options })
      .then((answer) => answer.status, () => 'blocked')
    const body = JSON.stringify({ label: 'stolen' })
    return [
      await send({ body, headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' } }),
      await send({ body, headers: { 'content-type': 'text/plain' }, mode: 'no-cors' }),
      await fetch('${scene.origin}/v1/api-keys', { credentials: 'include' }).then((answer) => answer.status, () => 'blocked'),
    ]
  })()`)) as unknown[]
  expect(attempts).toEqual(['blocked', 0, 'blocked'])
  await elsewhere.setContent(
    `<form method="post" enctype="text/plain" action="${scene.origin}/v1/api-keys"><button>win</button></form>`,
  )
  await elsewhere.getByRole('button').click()
  await elsewhere.waitForURL(`${scene.origin}/v1/api-keys`)
  await page.reload()
  await page.locator('#no-keys').waitFor()
})

test.each([
  ['narrow', 400, 'light'],
  ['dark', 1_000, 'dark'],
  ['narrow and dark', 400, 'dark'],
] as const)('the page fits: %s', PATIENTLY, async (name, width, colorScheme) => {
  const page = await newPage(width, colorScheme)
  await signIn(page, `a.rather.long.name.of.somebody.${people++}@example.test`)
  await page.getByLabel('Label').fill('a label that is as long as labels may be, which is sixty-four ch')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.locator('#fresh-key').waitFor()
  await picture(page, `6-${name.replaceAll(' ', '-')}`)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
})
