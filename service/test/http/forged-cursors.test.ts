import { PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import { list } from '@bookreel/testbed/service/stored-markets'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { issueKey } from '../../src/access/issue-key.ts'
import { perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { type Price, writePrice } from '../../src/domain/rows/price.ts'
import type { Trade } from '../../src/domain/rows/trade.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'
import { AccountScene, type Member } from '../account/account-scene.ts'
import { archiveGaps, archivePerps, insert } from './snapshots-scene.ts'
import { archiveContexts, archivePerpTrades, contextRow, perpTradeRow, tapeBookRow } from './tape-scene.ts'

const HOUR_MS = 3_600_000
const COUNT = 4
const SECONDS = Array.from({ length: COUNT }, (_, second) => PAST_HOUR_MS + second * 1_000)
const RANGE = `from=${PAST_HOUR_MS}&to=${PAST_HOUR_MS + HOUR_MS}&limit=1`
const PERP = `symbol=DOGE&${RANGE}`

/** A page of each list with a second page, by the path of its endpoint. */
const PAGES: Readonly<Record<string, string>> = {
  '/v1/events': '/v1/events?limit=1',
  '/v1/events/{event}': '/v1/events/forged-1?limit=1',
  '/v1/markets/history': '/v1/markets/history?limit=1',
  '/v1/markets/history/recent': '/v1/markets/history/recent?limit=1',
  '/v1/markets/{id}/snapshots': `/v1/markets/ID/snapshots?${RANGE}`,
  '/v1/markets/{id}/bars': `/v1/markets/ID/bars?interval=1s&${RANGE}`,
  '/v1/markets/{id}/gaps': `/v1/markets/ID/gaps?${RANGE}`,
  '/v1/trades': `/v1/trades?marketId=ID&${RANGE}`,
  '/v1/prices': `/v1/prices?coin=BTC&source=chainlink&${RANGE}`,
  '/v1/corrections': '/v1/corrections?limit=1',
  '/v1/files': '/v1/files?limit=1',
  '/v1/manifests': '/v1/manifests?limit=1',
  '/v1/credits': '/v1/credits?limit=1',
  '/v1/account/events': '/v1/account/events?limit=1',
  '/v1/payments/invoices': '/v1/payments/invoices?limit=1',
  '/v1/exchange/snapshots': `/v1/exchange/snapshots?${PERP}`,
  '/v1/exchange/trades': `/v1/exchange/trades?${PERP}`,
  '/v1/exchange/funding': `/v1/exchange/funding?${PERP}`,
  '/v1/exchange/open-interest': `/v1/exchange/open-interest?${PERP}`,
  '/v1/exchange/prices': `/v1/exchange/prices?${PERP}`,
  '/v1/exchange/gaps': `/v1/exchange/gaps?${PERP}`,
  '/v1/exchange/bars': `/v1/exchange/bars?interval=1s&${PERP}`,
}
const OF_SESSION = ['/v1/account/events', '/v1/payments/invoices']

/** The last one is the largest time that cursors may have. */
const NUMBERS = [9e15, -1, 1e300, 0.5, 0, 253_402_300_799_999]
const TEXTS = ['\0', 'a\0b', '\ud800', '', 'é'.repeat(100)]

let scene: AccountScene
let member: Member
let key: string
let marketId: string

beforeAll(async () => {
  scene = await AccountScene.open()
  const { service } = scene
  const { database } = scene.access
  member = await scene.signedIn('forger@example.test', 'enterprise')
  const { accountId } = member
  key = (await issueKey(scene.access, { accountId, label: 'forger' })).key
  for (const idem of ['one', 'two'])
    await scene.access.ledger.grant({ accountId, credits: 1_000_000, kind: 'adjustment', idem })
  await sql`INSERT INTO invoices (account_id, provider, pack, price_usd, credits, months, tier, expires_at)
    SELECT ${accountId}, 'btcpay', 'pro_monthly', 29, 1, 1, 'pro', now() FROM generate_series(1, 3)`.execute(database)
  await putMarkets()
  await putPerp()
  await insert(service, 'prices', (writer) => {
    for (const atMs of SECONDS) writePrice(writer, priceAt(atMs))
  })
  const corrections = new Corrections(database)
  for (const hourMs of [PAST_HOUR_MS, PAST_HOUR_MS - HOUR_MS]) {
    const hour = { marketId, hourMs }
    await corrections.finish(hour, await corrections.begin(hour, 'a test', { snapshots: 1, gaps: 0, trades: 0 }))
  }
  const { signer } = newSigner()
  for (const place of [1, 2, 3])
    await addFile(database, Buffer.from(`file ${place}`), { subject: 'btc', dayMs: Date.UTC(2026, 9, place) })
  await sealAll(database, signer)
  await sql`INSERT INTO manifests (number, hour_at, file_count, root, previous, hash, key_id, signature)
    SELECT 2, hour_at + interval '1 hour', file_count, root, hash, previous, key_id, signature FROM manifests`.execute(
    database,
  )
}, 360_000)

afterAll(() => scene?.[Symbol.asyncDispose]())

async function putMarkets(): Promise<void> {
  const { service } = scene
  const event = { eventSlug: 'forged-1', eventTitle: 'Forged', endsAtMs: Date.now() + HOUR_MS }
  const first = await PastMarket.save(service, 'forged', event)
  const second = await PastMarket.save(service, 'forged again', event)
  const other = await PastMarket.save(service, 'forged elsewhere', { ...event, eventSlug: 'forged-2' })
  marketId = first.market.id
  await first.putRows(first.rows(0, 40))
  await second.putRows(second.rows(0, 40))
  await first.putGaps([first.gap(41, 44), first.gap(50, 54)])
  await first.putTrades(SECONDS.map((atMs) => tradeAt(atMs)))
  await list(
    service,
    [first, second, other].map(({ market }) => market),
  )
}

function tradeAt(tradedAtMs: number): Trade {
  const transactionHash = `0x${'ab'.repeat(32)}`
  const what = { marketId, outcome: 0, side: 'BUY', price: 4_200, size: 1_000_000, occurrence: 0 } as const
  return { ...what, tradedAtMs, receivedAtMs: tradedAtMs + 40, transactionHash }
}

function priceAt(priceAtMs: number): Price {
  return { source: 'chainlink', coin: 'BTC', price: 80_000n, priceAtMs, isVenueTime: true, receivedAtMs: priceAtMs }
}

async function putPerp(): Promise<void> {
  const { service } = scene
  await archivePerps(
    service,
    SECONDS.map((atMs) => tapeBookRow('DOGE', atMs)),
  )
  await archivePerpTrades(
    service,
    SECONDS.map((atMs) => perpTradeRow('DOGE', atMs)),
  )
  await archiveContexts(
    service,
    SECONDS.map((atMs) => contextRow('DOGE', atMs)),
  )
  const gap = { marketId: perpMarketId('hyperliquid', 'DOGE'), intervalMs: 500, detail: '', kind: 'missing' } as const
  const slots = SECONDS.map((atMs) => atMs / 500 + 1)
  await archiveGaps(
    service,
    slots.map((slot) => ({ ...gap, fromSlot: slot, toSlot: slot, knownAtSlot: slot, cause: 'disconnected' })),
  )
}

async function ask(path: string, request: string) {
  const headers: Record<string, string> = OF_SESSION.includes(path)
    ? { cookie: `${SESSION_COOKIE}=${member.token}` }
    : { 'x-api-key': key }
  const url = request.replace('ID', marketId)
  const { statusCode, body, headers: sent } = await scene.server.inject({ url, headers })
  const json = JSON.parse(body)
  return { status: statusCode, text: body, body: json, next: json.next_cursor ?? sent['x-next-cursor'] }
}

test('every list with a cursor is here', () => {
  const paged = endpoints.filter(({ query }) => query instanceof z.ZodObject && 'cursor' in query.shape)
  expect(Object.keys(PAGES).toSorted()).toEqual(paged.map(({ path }) => path).toSorted())
})

test.each(Object.entries(PAGES))('%s refuses a cursor that was changed, or answers', async (path, request) => {
  let cursor: unknown
  await vi.waitUntil(
    async () => {
      const first = await ask(path, request)
      expect(first.status, first.text).toBe(200)
      cursor = first.next
      return typeof cursor === 'string'
    },
    { timeout: 30_000, interval: 500 },
  )
  const parts: unknown[] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString())
  const wrong: string[] = []
  for (const [place, part] of parts.entries()) {
    for (const edit of typeof part === 'number' ? NUMBERS : TEXTS) {
      const edited = Buffer.from(JSON.stringify(parts.with(place, edit))).toString('base64url')
      const { status, body } = await ask(path, `${request}&cursor=${edited}`)
      const isFine = status === 200 || (status === 400 && body.error === 'invalid_request')
      if (!isFine) wrong.push(`${JSON.stringify(parts.with(place, edit))}: ${status} ${body.error}`)
    }
  }
  expect(wrong).toEqual([])
})
