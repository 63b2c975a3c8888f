import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { SESSION_COOKIE } from '../../service/src/http/session-cookies.ts'
import { type ConsoleScene, PATIENTLY } from './console-scene.ts'
import { consoleTest as test } from './console-test.ts'

const FREE = '/app/api/v1/limits'
const TICKETS = '/app/api/stream-tickets'
const KEYS = '/v1/api-keys'
const HEADERS = `{ 'x-requested-with': 'bookreel' }`

let scene: ConsoleScene
let elsewhere: Server
/** Costs 10 credits. */
let paid: string

test.beforeAll(async ({ scene: shared, world }) => {
  scene = shared
  paid = `/app/api/v1/markets/${world.complete.market.id}/snapshots`
  elsewhere = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<!doctype html>'))
  await new Promise<void>((resolve) => elsewhere.listen(0, resolve))
})
test.afterAll(() => {
  elsewhere?.close()
})

async function balance(accountId: string): Promise<number> {
  return (await scene.account.access.ledger.spendable(accountId))?.balance ?? Number.NaN
}

/**
 * Asks in every way that a page of another origin has, and returns what the page could read. Every page may read that
 * it is not signed in, because `/v1` is for the pages of customers too.
 */
function readBy(page: Page): Promise<string[]> {
  return page.evaluate(`(async () => {
    const read = []
    const questions = [['GET', '${FREE}'], ['GET', '${paid}'], ['POST', '${TICKETS}'], ['POST', '${KEYS}', '{"label":"stolen"}']]
    for (const [method, path, body] of questions)
      for (const credentials of ['include', 'omit'])
        for (const [mode, headers] of [['cors', {}], ['cors', ${HEADERS}], ['no-cors', {}]]) {
          const answer = await fetch('${scene.origin}' + path, { method, body, credentials, mode, headers }).catch(() => undefined)
          const text = await answer?.text()
          if (text && answer.status !== 401) read.push([method, path, mode, answer.status, text].join(' '))
        }
    const image = new Image()
    await new Promise((resolve) => {
      image.onload = () => resolve(read.push('image'))
      image.onerror = resolve
      image.src = '${scene.origin}${paid}'
    })
    return read
  })()`)
}

/** The first frame and the close code; a socket that was admitted has none. */
function streamBy(page: Page, ticket: string): Promise<{ type?: string; code?: string; closed?: number }> {
  return page.evaluate(`new Promise((resolve) => {
    const socket = new WebSocket('${scene.origin.replace('http', 'ws')}/v1/stream')
    let seen = {}
    socket.onopen = () => socket.send(JSON.stringify({ id: 0, op: 'auth', ticket: '${ticket}' }))
    socket.onmessage = ({ data }) => {
      const { type, code } = JSON.parse(data)
      seen = { type, code }
      if (type === 'welcome') resolve(seen)
    }
    socket.onclose = ({ code }) => resolve({ ...seen, closed: code })
  })`)
}

function ticketOf(page: Page): Promise<string> {
  return page.evaluate(
    `fetch('${TICKETS}', { method: 'POST', headers: ${HEADERS} }).then(async (answer) => (await answer.json()).ticket)`,
  )
}

/** Answers of the service from now on to requests that carry the cookie of a session. */
function answersToCookies(): ServerResponse[] {
  const answers: ServerResponse[] = []
  scene.account.server.server.on('request', ({ headers }, answer) => {
    if (headers.cookie?.includes(SESSION_COOKIE)) answers.push(answer)
  })
  return answers
}

// The browser does not send the cookie along with requests of another site, but the ticket could have leaked to it.
test.each([
  { name: 'another port of the same host', host: 'localhost', statuses: [403], refusal: { closed: 1006 } },
  {
    name: 'another site',
    host: '127.0.0.1',
    statuses: [],
    refusal: { type: 'closing', code: 'cross_site_refused', closed: 4003 },
  },
])('$name reads nothing, opens no stream and spends nothing', PATIENTLY, async ({ host, statuses, refusal }) => {
  const page = await scene.signedInPage('target', 'pro', '/app/keys')
  const accountId = await scene.accountOf(page)
  const before = await balance(accountId)
  const ticket = await ticketOf(page)
  // A page of the console would go on asking with the cookie.
  await page.goto('about:blank')

  const other = await page.context().newPage()
  await other.goto(`http://${host}:${(elsewhere.address() as AddressInfo).port}/`)
  const answers = answersToCookies()
  expect(await readBy(other)).toEqual([])
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set(statuses))
  expect(await streamBy(other, ticket)).toEqual(refusal)
  await other.setContent(`<a href="${scene.origin}${paid}">win</a>`)
  await other.getByRole('link').click()
  await other.getByText('cross_site_refused').waitFor()
  expect(await balance(accountId)).toBe(before)

  // The same from the page of the console.
  await page.goto(`${scene.origin}/app/keys`)
  expect(await page.evaluate(`fetch('${KEYS}').then((answer) => answer.json())`)).toEqual([])
  expect(await streamBy(page, await ticketOf(page))).toMatchObject({ type: 'welcome' })
  expect(await page.evaluate(`fetch('${paid}', { headers: ${HEADERS} }).then(({ status }) => status)`)).toBe(200)
  expect(await balance(accountId)).toBe(before - 10)
})
