import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseAccount } from '../../src/access/erase-account.ts'
import { packById } from '../../src/domain/packs.ts'
import { OperatorChanges } from '../../src/stores/accounts/operator-changes.ts'
import { SessionStore } from '../../src/stores/accounts/sessions.ts'
import { Invoices } from '../../src/stores/money/invoices.ts'
import { PaymentEvents } from '../../src/stores/money/payment-events.ts'
import { ReviewList } from '../../src/stores/money/review-list.ts'
import { AccountScene, type Member } from './account-scene.ts'

let scene: AccountScene
beforeAll(async () => {
  scene = await AccountScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

const BOARD = '/app/api/operator/board'
const REVIEWS = '/app/api/operator/reviews'
const ACCOUNTS = '/app/api/operator/accounts'
const SOMEBODY = '3f0c2f3e-6a5c-4f6c-9f67-1b2f5d3c4a5b'
const REASON = { reason: 'sent back by hand' }

/** Every request that only operators may send. */
const REQUESTS = [
  [BOARD, 'GET', undefined],
  [REVIEWS, 'GET', undefined],
  [`${REVIEWS}/1/resolve`, 'POST', REASON],
  [`${ACCOUNTS}?q=someone`, 'GET', undefined],
  [`${ACCOUNTS}/${SOMEBODY}`, 'GET', undefined],
  [`${ACCOUNTS}/${SOMEBODY}/sign-out`, 'POST', REASON],
] as const

/** Proves who they are a second time, as changes need it. */
async function signInAgain(member: Member, name: string): Promise<void> {
  const address = '/auth/login?again=true&return_to=%2Fapp%2Fops'
  const { status } = await member.browser.send(await member.browser.untilCallbackFrom(address, name))
  expect(status).toBe(303)
  await scene.syncClock()
}

async function operatorWithProof(name: string): Promise<Member> {
  const member = await scene.signedIn(name)
  await signInAgain(member, name)
  return member
}

/** A review of an invoice of the account, with what the processor reported. Returns its number. */
async function newReview(accountId: string): Promise<{ id: number; invoiceId: string }> {
  const { database } = scene.access
  const pack = packById('credits_10k')
  if (pack === undefined) throw new Error('no such pack')
  const invoices = new Invoices(database)
  const begun = await invoices.begin({ accountId, provider: 'nowpayments', pack, lifeMinutes: 60 })
  if (begun.outcome !== 'begun') throw new Error(begun.outcome)
  const invoiceId = begun.invoice.id
  for (const status of ['waiting', 'partially_paid']) {
    const body = Buffer.from(JSON.stringify({ payment_status: status, order_id: invoiceId }))
    await new PaymentEvents(database).store({ provider: 'nowpayments', body, orderId: invoiceId, paymentId: '77' })
  }
  const { rows } = await sql<{ id: string }>`
    INSERT INTO payment_reviews (provider, subject, reason, detail)
    VALUES ('nowpayments', ${invoiceId}, 'underpaid', '{"word":"partially_paid"}') RETURNING id
  `.execute(database)
  return { id: Number(rows[0]?.id), invoiceId }
}

test('for people who are no operators the paths do not exist, whatever they send', async () => {
  const member = await scene.signedIn('nobody@example.test')
  await signInAgain(member, 'nobody@example.test')
  const unknown = await member.ask('/app/api/operator/nothing')
  expect(unknown.status).toBe(404)
  for (const [path, method, body] of REQUESTS) {
    const refused = await member.ask(path, method, body)
    const { request_id: _, ...told } = refused.body
    const { request_id: __, ...toldOfUnknown } = unknown.body
    expect([path, refused.status, told]).toEqual([path, 404, toldOfUnknown])
  }
  const session = await member.ask('/auth/session')
  expect(session.body).toMatchObject({ signedIn: true, isOperator: false })
})

test('without a session or from another site nothing is answered, and requests of strangers to operators count', async () => {
  const stranger = scene.newBrowser()
  for (const [path, method] of REQUESTS) {
    const { status } = await stranger.send(path, { method, headers: { 'x-requested-with': 'bookreel' } })
    expect([path, status]).toEqual([path, 401])
  }
  const operator = await scene.signedIn('operator.visited@example.test')
  const link = await operator.browser.send(BOARD)
  expect([link.status, JSON.parse(link.text).error]).toEqual([403, 'cross_site_refused'])
  const form = await operator.browser.send(`${REVIEWS}/1/resolve`, { method: 'POST' })
  expect([form.status, JSON.parse(form.text).error]).toEqual([403, 'cross_site_refused'])

  const curious = await scene.signedIn('curious@example.test')
  let refused = 0
  for (let request = 0; request < 400 && refused === 0; request++)
    if ((await curious.ask(BOARD)).status === 429) refused++
  expect(refused).toBe(1)
})

test('without the setting nobody is an operator', async () => {
  const operator = await scene.signedIn('operator.before@example.test')
  expect((await operator.ask(BOARD)).status).toBe(200)
  const node = await scene.newNode({ OPERATOR_CLAIM: undefined })
  const headers = { cookie: operator.browser.cookieHeader, 'x-requested-with': 'bookreel' }
  expect((await node.inject({ url: BOARD, headers })).statusCode).toBe(404)
  expect((await node.inject({ url: '/auth/session', headers })).json()).toMatchObject({ isOperator: false })
  await node.close()
})

test('the board tells what is not known as null, and does not fail without recorders', async () => {
  const operator = await scene.signedIn('operator.board@example.test')
  expect((await operator.ask('/auth/session')).body).toMatchObject({ isOperator: true })
  const { status, body } = await operator.ask(BOARD)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    recorders: [],
    shards: [],
    rates: { sampled_rows: null, stored_rows: null, newest_rows: null },
    lag: { newest_row_ms: null, queued_bytes: null, unstored_messages: null, waiting_updates: null },
    open_gaps: [],
    dead_letters: { count: 0, oldest_at: null },
    notices: [],
  })
})

test('a change needs a proof of identity: a sign-in that the provider did not ask for is not enough', async () => {
  const operator = await scene.signedIn('operator.recent@example.test')
  const { accountId } = await scene.signedIn('customer.recent@example.test')
  const review = await newReview(accountId)
  const changes = [`${REVIEWS}/${review.id}/resolve`, `${ACCOUNTS}/${accountId}/sign-out`]
  for (const path of changes) {
    const { status, body } = await operator.ask(path, 'POST', REASON)
    expect([status, body.error]).toEqual([403, 'sign_in_again'])
  }
  await signInAgain(operator, 'operator.recent@example.test')
  for (const path of changes) expect((await operator.ask(path, 'POST', REASON)).status).toBe(200)
})

test('a review shows all reported states, and is resolved once with a reason that the account sees', async () => {
  const operator = await operatorWithProof('operator.reviews@example.test')
  const customer = await scene.signedIn('payer@example.test')
  const { id, invoiceId } = await newReview(customer.accountId)
  const { body } = await operator.ask(REVIEWS)
  const review = body.reviews.find((each: { id: number }) => each.id === id)
  expect(review).toMatchObject({
    provider: 'nowpayments',
    subject: invoiceId,
    reason: 'underpaid',
    invoice: { id: invoiceId, account_id: customer.accountId, pack: 'credits_10k', status: 'creating', price_usd: 5 },
  })
  const states = review.reported.map(({ state, payment_id, times }: Record<string, unknown>) => [
    state,
    payment_id,
    times,
  ])
  expect(states).toEqual([
    ['partially_paid', '77', 1],
    ['waiting', '77', 1],
  ])
  const resolve = (reason: unknown) => operator.ask(`${REVIEWS}/${id}/resolve`, 'POST', { reason })
  for (const reason of [undefined, '', '  ', 'a', 7, 'x'.repeat(501)]) expect((await resolve(reason)).status).toBe(400)
  expect(await resolve(' paid back ')).toEqual({ status: 200, body: { id } })
  expect((await resolve('again')).body.error).toBe('review_not_found')
  expect((await operator.ask(REVIEWS)).body.reviews.map((each: { id: number }) => each.id)).not.toContain(id)
  const events = (await customer.ask('/v1/account/events?limit=5')).body.events
  expect(events[0]).toMatchObject({
    kind: 'review_resolved',
    subject: String(id),
    detail: { operator: 'Operator Reviews', reason: 'paid back', review: 'underpaid', invoice: invoiceId },
  })
})

test('a decision about a payment without an account is an event of the operator', async () => {
  const operator = await operatorWithProof('operator.alone@example.test')
  const body = Buffer.from('{"payment_status":"finished"}')
  await new PaymentEvents(scene.access.database).store({ provider: 'nowpayments', body, externalId: 'unheard-of' })
  const { reviews } = (await operator.ask(REVIEWS)).body
  const review = reviews.find(({ subject }: { subject: string }) => subject === 'unheard-of')
  expect(review).toMatchObject({ reason: 'unknown_invoice', invoice: null, reported: [{ state: 'finished' }] })
  expect((await operator.ask(`${REVIEWS}/${review.id}/resolve`, 'POST', REASON)).status).toBe(200)
  const { events } = (await operator.ask('/v1/account/events?limit=1')).body
  expect(events[0]).toMatchObject({ kind: 'review_resolved', subject: String(review.id), detail: REASON })
})

test('the list of reviews reads events by an index, however many callbacks have come', async () => {
  const { database } = scene.access
  const { id } = await newReview((await scene.signedIn('many.events@example.test')).accountId)
  await sql`
    INSERT INTO payment_events (provider, sha256, body, external_id, order_id)
    SELECT 'nowpayments', sha256(number::text::bytea), '{}', 'of-' || number, 'order-' || number
    FROM generate_series(1, 20000) AS number
  `.execute(database)
  await sql`ANALYZE payment_events`.execute(database)
  await database.transaction().execute(async (transaction) => {
    const reviews = await new ReviewList(transaction).open(100)
    expect(reviews.find((each) => each.id === String(id))?.reported).toHaveLength(2)
    const { rows } = await sql<{ seq_scan: string }>`
      SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'payment_events'
    `.execute(transaction)
    expect(Number(rows[0]?.seq_scan)).toBe(0)
  })
})

test('accounts are found by name, e-mail address, id and key preview, and by nothing else', async () => {
  const operator = await scene.signedIn('operator.search@example.test')
  const customer = await scene.signedIn('grace.hopper@navy.example', 'pro')
  const { body: key } = await customer.ask('/v1/api-keys', 'POST', { label: 'ship' })
  const found = async (q: string): Promise<string[]> =>
    (await operator.ask(`${ACCOUNTS}?q=${encodeURIComponent(q)}`)).body.accounts.map(({ id }: { id: string }) => id)
  for (const q of ['Grace Hop', 'HOPPER@NAVY', customer.accountId, key.preview]) {
    expect([q, await found(q)]).toEqual([q, [customer.accountId]])
  }
  // Letters that mean something to LIKE are letters here.
  for (const q of ['%%', '__', key.key.slice(20, 30), customer.accountId.slice(0, 8)])
    expect(await found(q)).toEqual([])
  for (const q of ['', 'a', 'x'.repeat(201)])
    expect((await operator.ask(`${ACCOUNTS}?q=${q}`)).body.error).toBe('invalid_request')

  const { body } = await operator.ask(`${ACCOUNTS}/${customer.accountId}`)
  expect(body).toMatchObject({
    name: 'Grace Hopper',
    emails: ['grace.hopper@navy.example'],
    tier: 'pro',
    tier_ends_at: null,
    keys: [{ label: 'ship', preview: key.preview, revoked_at: null }],
  })
  expect(JSON.stringify(body)).not.toContain(key.key)
  expect(body.events.map(({ kind }: { kind: string }) => kind)).toContain('key_made')
  expect((await operator.ask(`${ACCOUNTS}/${SOMEBODY}`)).body.error).toBe('account_not_found')
  expect((await operator.ask(`${ACCOUNTS}/none`)).body.error).toBe('invalid_request')
})

test('an account that has the id of another one in its address is never taken for it', async () => {
  const operator = await scene.signedIn('operator.confused@example.test')
  const first = await scene.signedIn('first.of.two@example.test')
  const second = await scene.signedIn(`${first.accountId}@evil.example`)
  const { body } = await operator.ask(`${ACCOUNTS}/${first.accountId}`)
  expect([body.id, body.emails]).toEqual([first.accountId, ['first.of.two@example.test']])
  const { accounts } = (await operator.ask(`${ACCOUNTS}?q=${first.accountId}`)).body
  expect(accounts.map(({ id }: { id: string }) => id)).toEqual([first.accountId, second.accountId])
})

test('an operator signs an account out on all devices; keys go on working', async () => {
  const operator = await operatorWithProof('operator.signout@example.test')
  const customer = await scene.signedIn('many.devices@example.test')
  const { body: key } = await customer.ask('/v1/api-keys', 'POST', { label: 'bot' })
  const path = `${ACCOUNTS}/${customer.accountId}/sign-out`
  const ended = await operator.ask(path, 'POST', { reason: 'reported as stolen' })
  expect(ended).toEqual({ status: 200, body: { sessions_ended: 1 } })
  expect((await customer.ask('/v1/user/tier')).status).toBe(401)
  expect((await scene.newBrowser().send('/v1/limits', { headers: { 'x-api-key': key.key } })).status).toBe(200)
  const { events } = (await operator.ask(`${ACCOUNTS}/${customer.accountId}`)).body
  expect(events[0]).toMatchObject({
    kind: 'sessions_ended',
    detail: { operator: 'Operator Signout', operator_id: operator.accountId, reason: 'reported as stolen' },
  })
  expect((await operator.ask(`${ACCOUNTS}/${SOMEBODY}/sign-out`, 'POST', REASON)).body.error).toBe('account_not_found')
})

test('an erased account keeps what operators did, and not their reasons, which may name the person', async () => {
  const operator = await operatorWithProof('operator.erases@example.test')
  const { accountId } = await scene.signedIn('leaving@example.test')
  await operator.ask(`${ACCOUNTS}/${accountId}/sign-out`, 'POST', { reason: 'asked by Lea Ving' })
  await eraseAccount(scene.access, accountId)
  const { body } = await operator.ask(`${ACCOUNTS}/${accountId}`)
  const event = body.events.find(({ kind }: { kind: string }) => kind === 'sessions_ended')
  expect(event.detail).toEqual({ operator: 'Operator Erases', operator_id: operator.accountId })
  expect([body.name, body.emails]).toEqual(['erased', []])
})

test('an e-mail address that the identity provider has not verified finds no account', async () => {
  const operator = await scene.signedIn('operator.careful@example.test')
  const claimant = await scene.signedIn('unverified.ceo@example.test')
  expect((await claimant.ask('/auth/session')).body).toMatchObject({ email: null, name: 'Unverified Ceo' })
  expect((await operator.ask(`${ACCOUNTS}?q=unverified.ceo%40`)).body.accounts).toEqual([])
  const { body } = await operator.ask(`${ACCOUNTS}/${claimant.accountId}`)
  expect([body.name, body.emails]).toEqual(['Unverified Ceo', []])
})

test('an address of which the provider does not say whether it is verified finds an account only where the operator trusts it', async () => {
  const operator = await scene.signedIn('operator.trusting@example.test')
  const member = await scene.signedIn('unclaimed.cfo@example.test')
  expect((await member.ask('/auth/session')).body).toMatchObject({ email: null, name: 'Unclaimed Cfo' })
  const found = async (): Promise<unknown[]> => (await operator.ask(`${ACCOUNTS}?q=unclaimed.cfo%40`)).body.accounts
  expect(await found()).toEqual([])
  const trusting = await scene.newNode({ OIDC_TRUST_EMAILS: true })
  expect((await scene.newBrowser(trusting).signIn('unclaimed.cfo@example.test')).status).toBe(303)
  expect(await found()).toMatchObject([{ id: member.accountId, emails: ['unclaimed.cfo@example.test'] }])
  expect((await scene.newBrowser(trusting).signIn('unverified.cfo@example.test')).status).toBe(303)
  expect((await operator.ask(`${ACCOUNTS}?q=unverified.cfo%40`)).body.accounts).toEqual([])
  await trusting.close()
})

test('a search and a look at an account are events of the operator, with the accounts that were shown', async () => {
  const operator = await scene.signedIn('operator.watched@example.test')
  const { accountId } = await scene.signedIn('looked.up@example.test')
  await operator.ask(`${ACCOUNTS}?q=looked.up%40example`)
  await operator.ask(`${ACCOUNTS}/${accountId}`)
  const { events } = (await operator.ask('/v1/account/events?limit=2')).body
  const event = { kind: 'accounts_searched', subject: operator.accountId, detail: { found: 1, accounts: [accountId] } }
  expect(events).toMatchObject([event, event])
})

test('a customer learns the name of an operator, and neither an address nor an account', async () => {
  const operator = await operatorWithProof('operator.known@example.test')
  const { accountId } = await scene.signedIn('told@example.test')
  await operator.ask(`${ACCOUNTS}/${accountId}/sign-out`, 'POST', REASON)
  const changes = new OperatorChanges({ database: scene.access.database, sessions: new SessionStore(scene.redis) })
  for (const operatorName of ['nameless@example.test', operator.accountId])
    await changes.signOut(accountId, { operatorId: operator.accountId, operatorName, ...REASON })
  const customer = await scene.signedIn('told@example.test')
  const { events } = (await customer.ask('/v1/account/events')).body
  const ended = events.filter(({ kind }: { kind: string }) => kind === 'sessions_ended')
  expect(ended.map(({ detail }: { detail: unknown }) => detail)).toEqual(
    ['Operator', 'Operator', 'Operator Known'].map((name) => ({ operator: name, ...REASON })),
  )
  expect(JSON.stringify(events)).not.toContain(operator.accountId)
})
