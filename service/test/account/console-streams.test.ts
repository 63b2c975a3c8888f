import { HOUR_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { TICKET_MS } from '../../src/stores/accounts/stream-tickets.ts'
import type { Node } from '../gateway/gateway-node.ts'
import { StreamClient } from '../gateway/stream-client.ts'
import { AccountScene, type Member } from './account-scene.ts'

let scene: AccountScene
let nodes: readonly [Node, Node]
beforeAll(async () => {
  scene = await AccountScene.open()
  nodes = [await scene.startGateway(), await scene.startGateway()]
})
afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.stop()))
  await scene?.[Symbol.asyncDispose]()
})

/** A page is told within a second; a busy machine may add to that. */
const SOON_MS = 20_000

async function ticketOf(member: Member, openedAt?: string): Promise<string> {
  const query = openedAt === undefined ? '' : `?opened_at=${openedAt}`
  const { status, body } = await member.ask(`/app/api/stream-tickets${query}`, 'POST')
  expect(status).toBe(201)
  return body.ticket
}

function socketOf(node: Node, origin = scene.origin): StreamClient {
  return new StreamClient(`${node.url}/v1/stream`, { headers: { origin } })
}

async function present(ticket: string, { node = nodes[0], origin = scene.origin } = {}): Promise<StreamClient> {
  const client = socketOf(node, origin)
  await new Promise((resolve) => client.socket.once('open', resolve))
  client.send({ op: 'auth', ticket })
  return client
}

async function opened(member: Member, node = nodes[0]): Promise<StreamClient> {
  const client = await present(await ticketOf(member), { node })
  await client.until(({ type }) => type === 'welcome')
  return client
}

test('a ticket opens one stream, with eight subscriptions; the answer says where and for how long', async () => {
  const member = await scene.signedIn('watcher@example.test', 'pro')
  const { body } = await member.ask('/app/api/stream-tickets', 'POST')
  expect(body).toEqual({
    ticket: expect.stringMatching(/^[\w-]{43}$/),
    url: `${scene.origin.replace('http', 'ws')}/v1/stream`,
    expires_in_ms: TICKET_MS,
    opened_at: expect.stringMatching(/Z$/),
  })
  const first = await present(body.ticket)
  expect(await first.until(({ type }) => type === 'welcome')).toMatchObject({
    tier: 'pro',
    limits: { subscriptions: 8 },
  })
  const again = await present(body.ticket)
  expect(await again.until(({ type }) => type === 'closing')).toMatchObject({ code: 'unauthenticated' })
  expect((await again.untilClosed()).code).toBe(4003)
  expect(first.closed).toBeUndefined()
  await first.close()
})

test('a ticket is refused on another site, by a program without an origin, and after 30 seconds', async () => {
  const member = await scene.signedIn('careful@example.test', 'pro')
  const foreign = await present(await ticketOf(member), { origin: 'https://other.example' })
  expect(await foreign.until(({ type }) => type === 'closing')).toMatchObject({ code: 'cross_site_refused' })
  const program = new StreamClient(`${nodes[0].url}/v1/stream`)
  await new Promise((resolve) => program.socket.once('open', resolve))
  program.send({ op: 'auth', ticket: await ticketOf(member) })
  expect(await program.until(({ type }) => type === 'closing')).toMatchObject({ code: 'cross_site_refused' })
  const ticket = await ticketOf(member)
  const left = await scene.redis.ask(async (client) => {
    const [key = ''] = await (client as { keys(pattern: string): Promise<string[]> }).keys('stream-ticket:*')
    return client.pTTL(key)
  })
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(TICKET_MS)
  for (const wrong of ['', 'x', `${ticket.slice(1)}A`, '*']) {
    const guess = await present(wrong)
    expect(await guess.until(({ type }) => type === 'closing')).toMatchObject({ code: 'unauthenticated' })
  }
})

test('a newer page takes the stream over, also on another node, and the older one is told within a second', async () => {
  const member = await scene.signedIn('two-tabs@example.test', 'pro')
  const older = await opened(member, nodes[0])
  const sinceMs = performance.now()
  const newer = await opened(member, nodes[1])
  expect(await older.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over', reconnect: false })
  expect(performance.now() - sinceMs).toBeLessThan(SOON_MS)
  expect((await older.untilClosed()).code).toBe(4003)
  expect(await newer.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
  const back = await opened(member, nodes[0])
  expect(await newer.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over' })
  await back.close()
})

test('a page that opens a lost connection again takes no stream from a page that was opened later', async () => {
  const member = await scene.signedIn('asleep@example.test', 'pro')
  const { body } = await member.ask('/app/api/stream-tickets', 'POST')
  const reopened = (): Promise<string> => ticketOf(member, body.opened_at)
  await (await present(body.ticket)).close()
  const alone = await present(await reopened())
  expect(await alone.until(({ type }) => type === 'welcome')).toMatchObject({ tier: 'pro' })
  const newer = await opened(member, nodes[1])
  expect(await alone.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over' })
  const again = await present(await reopened())
  expect(await again.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over', reconnect: false })
  expect(await newer.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
  expect(newer.closed).toBeUndefined()
  await newer.close()
})

test('a ticket that is used late takes no stream from the page that was opened after it', async () => {
  const member = await scene.signedIn('late@example.test', 'pro')
  const older = await ticketOf(member)
  const newer = await opened(member)
  const late = await present(older, { node: nodes[1] })
  expect(await late.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over' })
  expect(await newer.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
  await newer.close()
})

test('how long ago a page was opened counts, not when it gets its ticket', async () => {
  const member = await scene.signedIn('polled-before@example.test', 'pro')
  const newer = await opened(member)
  const { body } = await member.ask('/app/api/stream-tickets?opened_ms_ago=60000', 'POST')
  const older = await present(body.ticket)
  expect(await older.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over' })
  expect(await newer.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
  await newer.close()
})

test('the clock of the node that gives a ticket does not count', async () => {
  const member = await scene.signedIn('two-clocks@example.test', 'pro')
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.advanceTimersByTime(5_000)
  scene.service.clock.nowMs += 5_000
  const early = await opened(member).finally(() => vi.useRealTimers())
  const newer = await opened(member, nodes[1])
  expect(await early.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over' })
  await newer.close()
})

test('a page can not say that it was opened later than now', async () => {
  const member = await scene.signedIn('from-tomorrow@example.test', 'pro')
  const { body: now } = await member.ask('/app/api/stream-tickets', 'POST')
  const tomorrow = instantOf(Date.parse(now.opened_at) + 86_400_000)
  const early = await present(await ticketOf(member, tomorrow))
  await early.until(({ type }) => type === 'welcome')
  const newer = await opened(member)
  expect(await early.until(({ type }) => type === 'closing')).toMatchObject({ code: 'taken_over' })
  await newer.close()
})

test('the only stream of a Pro bot stays open while pages come and go', async () => {
  const member = await scene.signedIn('bot-owner@example.test', 'pro')
  const { body } = await member.ask('/v1/api-keys', 'POST', { label: 'bot' })
  const bot = await StreamClient.open(`${nodes[0].url}/v1/stream`, body.key)
  for (const node of [nodes[0], nodes[1], nodes[0]]) await (await opened(member, node)).close()
  const page = await opened(member)
  expect(await bot.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
  expect(bot.closed).toBeUndefined()
  await page.close()
  await bot.close()
})

test('when the session ends elsewhere, the stream of its page ends', async () => {
  const member = await scene.signedIn('signs-out@example.test', 'pro')
  const page = await opened(member)
  const unused = await ticketOf(member)
  const sinceMs = performance.now()
  await scene.access.sessions.endAll(member.accountId)
  expect(await page.until(({ type }) => type === 'closing')).toMatchObject({
    code: 'unauthenticated',
    reconnect: false,
  })
  expect(performance.now() - sinceMs).toBeLessThan(SOON_MS)
  // A ticket of the ended session must not take the stream of the next one.
  const again = await scene.signedIn('signs-out@example.test')
  const next = await opened(again)
  const late = await present(unused)
  expect(await late.until(({ type }) => type === 'closing')).toMatchObject({ code: 'unauthenticated' })
  expect(await next.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
  await next.close()
})

test('the free tier has no streams, and the refusal says which tiers have', async () => {
  const member = await scene.signedIn('free@example.test')
  const { status, body } = await member.ask('/app/api/stream-tickets', 'POST')
  expect([status, body.error]).toEqual([403, 'tier_not_allowed'])
  expect(body.message).toContain('pro or scale or enterprise')
})

test('a page follows at most eight markets times channels, and no category', async () => {
  const member = await scene.signedIn('many@example.test', 'enterprise')
  const page = await opened(member)
  const category = await page.ask({ op: 'subscribe', selectors: [{ category: 'crypto' }] })
  expect(category).toMatchObject({ type: 'error', code: 'invalid_request' })
  const selectors = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE'].map((coin) => ({ coin, timeframe: '5m' }))
  const ack = await page.ask({ op: 'subscribe', selectors, channels: ['book', 'trade'] })
  expect(ack.rejected.map(({ reason }: { reason: string }) => reason)).toEqual(['limit_reached', 'limit_reached'])
  await page.close()
})

test('resumed streams and replays of a page have the same limits', async () => {
  const member = await scene.signedIn('many-again@example.test', 'enterprise')
  const page = await opened(member)
  const since = instantOf(scene.service.nowMs() - 1_000)
  const range = { from: instantOf(PAST_HOUR_MS), to: instantOf(PAST_HOUR_MS + 1_000) }
  for (const frame of [
    { op: 'resume', since },
    { op: 'replay', ...range },
  ]) {
    const category = await page.ask({ ...frame, selectors: [{ category: 'crypto' }] })
    expect([frame.op, category]).toMatchObject([frame.op, { type: 'error', code: 'invalid_request' }])
    expect(category.message).toContain('category')
  }
  const selectors = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE'].map((coin) => ({ coin, timeframe: '5m' }))
  const ack = await page.ask({ op: 'resume', selectors, channels: ['book', 'trade'], since })
  expect(ack.rejected.map(({ reason }: { reason: string }) => reason)).toEqual(['limit_reached', 'limit_reached'])
  await page.close()
})

test('a replay of a page stops at the monthly limit of the console', async () => {
  const past = await PastMarket.save(scene.service, 'limited replay')
  await past.putRows(past.rows(0, 2_500))
  const member = await scene.signedIn('spender@example.test', 'enterprise')
  const { accountId } = member
  await scene.access.ledger.grant({ accountId, credits: 1_000, kind: 'adjustment', idem: 'replay' })
  expect((await member.ask('/app/api/budget', 'PATCH', { creditLimit: 1 })).status).toBe(200)
  const page = await opened(member)
  const range = { from: instantOf(PAST_HOUR_MS), to: instantOf(PAST_HOUR_MS + HOUR_MS) }
  const replay = { op: 'replay', selectors: [{ market: past.market.id }], channels: ['book'], ...range, speed: 'max' }
  expect((await page.ask({ ...replay, dry_run: true })).replay.credits).toBeGreaterThan(1)
  await page.ask(replay)
  const ended = await page.until(({ type }) => type === 'replay_ended')
  expect(ended).toMatchObject({ reason: 'out_of_credits', rows: 1_000, credits: 1 })
  expect((await scene.access.accounts.find(accountId))?.balance, 'the account could have paid').toBeGreaterThan(900)
  await page.close()
})

test('an auth frame with a key and a ticket, or with neither, is refused', async () => {
  for (const frame of [{}, { key: 'br_live_x', ticket: 'x' }]) {
    const client = socketOf(nodes[0])
    await new Promise((resolve) => client.socket.once('open', resolve))
    client.send({ op: 'auth', ...frame })
    const closing = await client.until(({ type }) => type === 'closing')
    expect(closing.message).toContain('must have either key or ticket')
  }
})

test('a gateway that can not ask whether a page may go on ends its stream', async () => {
  const node = await scene.startGateway({ pageUnconfirmedForMs: 1_000 })
  const page = await opened(await scene.signedIn('unasked@example.test', 'pro'), node)
  const patient = await opened(await scene.signedIn('still-waits@example.test', 'pro'))
  await scene.stack.engine('redis').kill()
  try {
    expect(await page.until(({ type }) => type === 'closing')).toMatchObject({ code: 'store_unavailable' })
    expect(patient.closed, 'ten seconds are not over').toBeUndefined()
  } finally {
    await scene.stack.engine('redis').restart()
  }
  await patient.close()
  await node.stop()
})
