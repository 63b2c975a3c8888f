import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endpoints } from '@bookreel/service/endpoints/index'
import { HeadlessBrowser } from '../service/test/account/headless-browser.ts'
import { type ExampleScene, exampleRequest } from './example-requests.ts'
import { shorten } from './shorten.ts'
import { type SimulatedService, startSimulatedService } from './simulated-service.ts'

const FOLDER = 'docs/examples'
const RECORDS_FOR_MS = 25_000
/** Length of a window; a window must not end between two requests. */
const WINDOW_MS = 300_000
const MIN_LEFT_MS = 60_000

/** Starts a service over a simulated world and records one response of every endpoint as an example. */
export async function recordExamples(onProgress: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-examples-'))
  const signal = new AbortController().signal
  const service = await startSimulatedService({ folder, port: 0, markets: 120, onProgress, signal })
  try {
    onProgress('recording books for 25 s')
    await sleep(RECORDS_FOR_MS)
    const left = WINDOW_MS - (Date.now() % WINDOW_MS)
    if (left < MIN_LEFT_MS) await sleep(left + RECORDS_FOR_MS)
    await writeExamples(service, onProgress)
  } finally {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An endpoint whose request fails keeps its old example and is listed in the error. */
async function writeExamples(service: SimulatedService, onProgress: (line: string) => void): Promise<void> {
  const user = await signedIn(service)
  await postAs(user, '/v1/api-keys', { label: 'research notebook' })
  const invoice = await postAs(user, '/v1/payments/create-invoice', { pack: 'pro_monthly' })
  const scene = await sceneOf(service, (invoice as { invoiceId: string }).invoiceId)
  const names = new Set(endpoints.map(({ name }) => `${name}.json`))
  mkdirSync(FOLDER, { recursive: true })
  for (const file of readdirSync(FOLDER)) if (!names.has(file)) rmSync(join(FOLDER, file))
  const failures: string[] = []
  for (const endpoint of endpoints.filter(({ method }) => method === 'GET')) {
    try {
      const request = exampleRequest(endpoint, scene)
      const isOfSession = endpoint.access !== 'public' && endpoint.access.by === 'session'
      const answer = isOfSession ? await getAsUser(user, request) : await get(service, request)
      const file = join(FOLDER, `${endpoint.name}.json`)
      writeFileSync(file, `${withProcessorUrls(JSON.stringify(shorten(answer), null, 2))}\n`)
      onProgress(file)
    } catch (error) {
      failures.push(`${endpoint.name}: ${(error as Error).message}`)
    }
  }
  if (failures.length > 0) throw new Error(`No new example for:\n${failures.join('\n')}`)
}

/** Examples show the payment page of the real processor instead of the simulated one. */
function withProcessorUrls(text: string): string {
  return text.replaceAll(/http:\/\/127\.0\.0\.1:\d+\/pay\/(\d+)/g, 'https://nowpayments.io/payment/?iid=$1')
}

async function sceneOf(service: SimulatedService, invoiceId: string): Promise<ExampleScene> {
  const [market] = (await get(service, '/v1/markets/live?crypto=BTC&timeframe=5m&limit=1')) as {
    conditionId: string
    slug: string
  }[]
  if (market === undefined) throw new Error('no five-minute Bitcoin window is open; run the command again')
  return { marketId: market.conditionId, slug: market.slug, invoiceId, nowMs: Date.now() }
}

async function signedIn({ address }: SimulatedService): Promise<HeadlessBrowser> {
  const browser = new HeadlessBrowser(address, async (path, { method, headers, body }) => {
    const init = { method, headers, redirect: 'manual', ...(body !== undefined && { body }) } as const
    const answer = await fetch(`${address}${path}`, init)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  })
  await browser.signIn('ada@example.test')
  return browser
}

async function postAs(user: HeadlessBrowser, path: string, body: unknown): Promise<unknown> {
  const { status, text } = await user.send(path, {
    method: 'POST',
    headers: { origin: user.origin, 'x-requested-with': 'bookreel', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
  return JSON.parse(text)
}

async function getAsUser(user: HeadlessBrowser, path: string): Promise<unknown> {
  const { status, text } = await user.send(path)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
  return JSON.parse(text)
}

async function get({ address, keys }: SimulatedService, path: string): Promise<unknown> {
  const answer = await fetch(`${address}${path}`, { headers: { 'x-api-key': keys.enterprise } })
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
