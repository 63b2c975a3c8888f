import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { IdentityProvider } from '../../src/access/identity-provider.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { People } from '../../src/stores/accounts/people.ts'
import { AccountScene } from './account-scene.ts'

const MINUTE_MS = 60_000
const PENDING_COOKIE = '__Host-bookreel-sign-in'

let scene: AccountScene
beforeAll(async () => {
  scene = await AccountScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())
afterEach(() => {
  scene.clock.aheadMs = 0
})

describe('a sign-in', () => {
  test('redirects to where it began, with a cookie that no script and no other site can use', async () => {
    const browser = scene.newBrowser()
    const answer = await browser.signIn('ada@example.test', '/app/account?tab=keys#x')
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(`${scene.origin}/app/account?tab=keys#x`)
    const cookies = answer.headers.getSetCookie()
    const [session] = cookies.filter((line) => line.startsWith(`${SESSION_COOKIE}=`))
    expect(session).toMatch(/^__Host-bookreel=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(cookies.some((line) => line.startsWith(`${PENDING_COOKIE}=;`))).toBe(true)
    const who = await browser.send('/auth/session')
    expect(JSON.parse(who.text)).toMatchObject({ signedIn: true, email: 'ada@example.test', name: 'Ada' })
    expect(who.headers.get('cache-control')).toBe('no-store')
  })

  test('stores nothing in Redis that a reader of Redis could sign in with', async () => {
    const member = await scene.signedIn('reader@example.test')
    const names = await scene.redis.ask((client) => client.keys('*'))
    expect(names.filter((name) => name.startsWith('session:')).length).toBeGreaterThan(0)
    const values = await Promise.all(
      names.filter((name) => name.startsWith('session:')).map((name) => scene.redis.ask((client) => client.get(name))),
    )
    expect([...names, ...values].join('\n')).not.toContain(member.token)
  })

  test('the first sign-in creates an account of the free tier with its credits, and later ones find it again', async () => {
    const [first, again] = [await scene.signedIn('bob@example.test'), await scene.signedIn('bob@example.test')]
    expect(again.accountId).toBe(first.accountId)
    expect(again.token).not.toBe(first.token)
    const [account] = await scene.access.accounts.named({ id: first.accountId })
    expect(account).toMatchObject({ name: 'Bob', tier: 'free', balance: 5_000 })
  })

  test('fifty concurrent first sign-ins of one person create one account', async () => {
    const before = (await scene.access.accounts.list()).length
    const people = new People(scene.access.database)
    const person = { issuer: 'https://id.example', subject: 'fifty', name: 'Fifty' }
    const made = await Promise.all(Array.from({ length: 50 }, () => people.signIn(person)))
    expect(new Set(made.map(({ accountId }) => accountId)).size).toBe(1)
    expect(made.filter(({ isFirst }) => isFirst)).toHaveLength(1)
    expect((await scene.access.accounts.list()).length).toBe(before + 1)
  })
})

describe('refused sign-ins', () => {
  test('a session planted in the browser beforehand is not taken over, and is ended', async () => {
    const attacker = await scene.signedIn('mallory@example.test')
    const victim = scene.newBrowser()
    victim.setCookie(SESSION_COOKIE, attacker.token)
    await victim.signIn('victim@example.test')
    expect(victim.cookie(SESSION_COOKIE)).not.toBe(attacker.token)
    expect(JSON.parse((await victim.send('/auth/session')).text)).toMatchObject({ email: 'victim@example.test' })
    expect((await attacker.ask('/v1/user/tier')).status).toBe(401)
    const made = scene.newBrowser()
    made.setCookie(SESSION_COOKIE, 'a'.repeat(43))
    await made.signIn('victim@example.test')
    expect(made.cookie(SESSION_COOKIE)).not.toBe('a'.repeat(43))
  })

  test('a callback of the provider works once', async () => {
    const browser = scene.newBrowser()
    const callback = await browser.untilCallback('once@example.test')
    const pending = browser.cookie(PENDING_COOKIE) ?? ''
    expect((await browser.send(callback)).status).toBe(303)
    browser.setCookie(PENDING_COOKIE, pending)
    const replayed = await browser.send(callback)
    expect(replayed.status).toBe(400)
    expect(JSON.parse(replayed.text)).toMatchObject({ error: 'sign_in_failed' })
  })

  test('one pending sign-in asks the identity provider once, whatever codes are tried', async () => {
    const finish = vi.spyOn(IdentityProvider.prototype, 'finish')
    onTestFinished(() => finish.mockRestore())
    const browser = scene.newBrowser()
    const callback = new URL(await browser.untilCallback('guesser@example.test'))
    const pending = browser.cookie(PENDING_COOKIE) ?? ''
    for (let guess = 0; guess < 10; guess++) {
      browser.setCookie(PENDING_COOKIE, pending)
      callback.searchParams.set('code', `guess-${guess}`)
      expect((await browser.send(callback.href)).status).toBe(400)
    }
    expect(finish).toHaveBeenCalledTimes(1)
  })

  test('a sign-in is completed once, even if the provider accepted its code again', async () => {
    const sessions = scene.access.sessions
    const attempts = await Promise.all(Array.from({ length: 20 }, () => sessions.spendSignIn({ state: 'replayed' })))
    expect(attempts.filter(Boolean)).toHaveLength(1)
  })

  test('a sign-in that was only begun stores nothing, and its cookie tells nothing', async () => {
    const stored = () => scene.redis.ask((client) => client.dbSize())
    const before = await stored()
    for (let begun = 0; begun < 50; begun++) await scene.newBrowser().send('/auth/login?return_to=/account?secret')
    expect(await stored()).toBeLessThanOrEqual(before)
    const browser = scene.newBrowser()
    const { headers } = await browser.send('/auth/login?return_to=/account?secret')
    const cookie = browser.cookie(PENDING_COOKIE) ?? ''
    const state = new URL(headers.get('location') ?? '').searchParams.get('state') ?? 'none'
    expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toContain(state)
    expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toContain('secret')
  })

  test('a cookie that was changed or made elsewhere is refused', async () => {
    for (const change of [(cookie: string) => `${cookie.slice(0, -3)}AAA`, () => 'made-elsewhere', () => '']) {
      const browser = scene.newBrowser()
      const callback = await browser.untilCallback('forged@example.test')
      browser.setCookie(PENDING_COOKIE, change(browser.cookie(PENDING_COOKIE) ?? ''))
      expect((await browser.send(callback)).status).toBe(400)
      expect(browser.cookie(SESSION_COOKIE)).toBeUndefined()
    }
  })

  test('return_to is bounded', async () => {
    const ask = (length: number) => scene.newBrowser().send(`/auth/login?return_to=/${'x'.repeat(length)}`)
    expect([(await ask(400)).status, (await ask(520)).status, (await ask(6_000)).status]).toEqual([303, 400, 400])
  })

  test('a callback for another browser is refused', async () => {
    const attacker = scene.newBrowser()
    const callback = await attacker.untilCallback('mallory@example.test')
    const bystander = scene.newBrowser()
    expect((await bystander.send(callback)).status).toBe(400)
    // Also when the bystander is just signing in: state, nonce and code belong to another sign-in.
    await bystander.send('/auth/login')
    const crossed = await bystander.send(callback)
    expect(JSON.parse(crossed.text)).toMatchObject({ error: 'sign_in_failed' })
    expect(bystander.cookie(SESSION_COOKIE)).toBeUndefined()
  })

  test('a code with the right state but of another sign-in is refused by PKCE', async () => {
    const [one, other] = [scene.newBrowser(), scene.newBrowser()]
    const [mine, foreign] = [
      await one.untilCallback('one@example.test'),
      await other.untilCallback('mallory@example.test'),
    ]
    const spliced = new URL(mine)
    spliced.searchParams.set('code', new URL(foreign).searchParams.get('code') ?? '')
    const answer = await one.send(spliced.href)
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'sign_in_failed' })
    expect(one.cookie(SESSION_COOKIE)).toBeUndefined()
  })

  test('an ID token issued for another sign-in is refused by its nonce alone', async () => {
    const browser = scene.newBrowser()
    const begun = await browser.send('/auth/login')
    const authorization = new URL(begun.headers.get('location') ?? '')
    expect(authorization.searchParams.get('nonce')).toMatch(/^[\w-]{43}$/)
    authorization.searchParams.set('nonce', 'that of a sign-in that somebody recorded')
    // State, code and PKCE are those of this browser.
    const answer = await browser.send(await browser.untilCallbackFrom(authorization.href, 'nonce@example.test'))
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'sign_in_failed' })
    expect(browser.cookie(SESSION_COOKIE)).toBeUndefined()
  })

  test.each(['state', 'code', 'iss'])('a callback without %s, or with it twice, is refused', async (name) => {
    for (const change of ['less', 'more']) {
      const browser = scene.newBrowser()
      const callback = new URL(await browser.untilCallback('less@example.test'))
      if (change === 'less') callback.searchParams.delete(name)
      else callback.searchParams.append(name, 'more')
      expect((await browser.send(callback.href)).status).toBe(400)
    }
  })

  test('a sign-in that takes longer than ten minutes must be started again', async () => {
    const browser = scene.newBrowser()
    const callback = await browser.untilCallback('slow@example.test')
    scene.clock.aheadMs = 10 * MINUTE_MS
    expect((await browser.send(callback)).status).toBe(400)
  })

  test('a sign-in declined at the provider shows a page that says so', async () => {
    const browser = scene.newBrowser()
    const callback = await browser.untilCallback(' ')
    const answer = await browser.send(callback, { headers: { accept: 'text/html' } })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.text).toContain('access_denied')
  })

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    'evil.example',
    'javascript:alert(1)',
    '',
  ])('a sign-in never redirects to %j', async (target) => {
    const answer = await scene.newBrowser().send(`/auth/login?return_to=${encodeURIComponent(target)}`)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('location')).toBeNull()
  })

  test('a path that only looks like another host stays on this host', async () => {
    const answer = await scene.newBrowser().signIn('path@example.test', '/.//evil.example/')
    expect(new URL(answer.headers.get('location') ?? '', scene.origin).origin).toBe(scene.origin)
  })
})

describe('the identity provider', () => {
  test('is signed out too, after the session here has ended', async () => {
    const member = await scene.signedIn('leaver@example.test')
    const token = member.token
    const { status, body } = await member.ask('/auth/logout', 'POST', {})
    expect(status).toBe(200)
    const goTo = new URL(body.goTo)
    expect(goTo.origin).toBe(scene.stack.variable('OIDC_ISSUER'))
    expect(goTo.searchParams.get('post_logout_redirect_uri')).toBe(`${scene.origin}/app`)
    expect(member.token).toBe('')
    member.browser.setCookie(SESSION_COOKIE, token)
    expect((await member.ask('/v1/user/tier')).status).toBe(401)
    const page = await member.browser.go(goTo.href)
    expect(page.text).toContain('Signing out')
  })

  test('may be unavailable: existing sessions continue, new sign-ins are told to retry, and later they work', async () => {
    await using node = await scene.newNode()
    const late = scene.newBrowser(node)
    const member = await scene.signedIn('here@example.test')
    await scene.stack.engine('identity').kill()
    expect((await member.ask('/v1/user/tier')).status).toBe(200)
    const answer = await late.send('/auth/login')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'sign_in_unavailable' })
    await scene.stack.engine('identity').restart()
    expect((await late.send('/auth/login')).status).toBe(303)
  })
})
