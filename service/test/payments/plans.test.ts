import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHECK_INTERVALS, type ObservedPayment } from '../../src/domain/invoice.ts'
import { packById } from '../../src/domain/packs.ts'
import { InvoiceChecks } from '../../src/stores/money/invoice-checks.ts'
import { Invoices } from '../../src/stores/money/invoices.ts'
import { AccessScene } from '../access/access-scene.ts'

const DAY_MS = 86_400_000
const MONTH_MS = 31 * DAY_MS
/** The clock of the database advances while a test runs. */
const SLACK_MS = 60_000

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(async () => {
  const drifts = await scene.ledger.drifts()
  await scene[Symbol.asyncDispose]()
  expect(drifts).toEqual([])
})

let externalIds = 0

/** Buys a pack and pays it in full. */
async function buy(accountId: string, packId: string): Promise<string> {
  const pack = packById(packId)
  if (pack === undefined) throw new Error(`no pack ${packId}`)
  const invoices = new Invoices(scene.database)
  const begun = await invoices.begin({ accountId, provider: 'btcpay', pack, lifeMinutes: 60 })
  if (begun.outcome !== 'begun') throw new Error(begun.outcome)
  const { id } = begun.invoice
  const externalId = `x${externalIds++}`
  await invoices.attach(id, { externalId, url: 'https://pay.example' }, 0)
  const seen: ObservedPayment = {
    status: 'paid',
    word: 'Settled',
    price: { amount: pack.priceUsd, currency: 'USD' },
    orderId: id,
    hasMoney: true,
    received: 'enough',
  }
  const due = { id, accountId, provider: 'btcpay', externalId, paymentIds: [], news: '0' }
  await new InvoiceChecks(scene.database, CHECK_INTERVALS).settle(due, seen)
  return id
}

/** Moves the dates of the account into the past, as if that time had passed. */
async function letPass(accountId: string, ms: number): Promise<void> {
  await sql`
    UPDATE accounts SET tier_since = tier_since - ${ms} * interval '1 millisecond',
      months_from = months_from - ${ms} * interval '1 millisecond',
      tier_expires_at = tier_expires_at - ${ms} * interval '1 millisecond',
      next_grant_at = next_grant_at - ${ms} * interval '1 millisecond'
    WHERE id = ${accountId}
  `.execute(scene.database)
}

async function planOf(accountId: string): Promise<{ tier: string; leftMs: number }> {
  await scene.ledger.spendable(accountId)
  const account = await scene.accounts.find(accountId)
  const nowMs = await postgresNowMs(scene.database)
  return { tier: account?.tier ?? '', leftMs: (account?.tierExpiresAtMs ?? 0) - nowMs }
}

/** Bought credits, without those of free months. */
async function bought(accountId: string): Promise<number> {
  await scene.ledger.spendable(accountId)
  const { rows } = await sql<{ sum: string }>`
    SELECT coalesce(sum(delta), 0) AS sum FROM ledger WHERE account_id = ${accountId} AND idem NOT LIKE 'grant:%'
  `.execute(scene.database)
  return Number(rows[0]?.sum)
}

function about(ms: number) {
  return expect.closeTo(ms / SLACK_MS, 0)
}

async function expectPlan(accountId: string, tier: string, leftMs: number): Promise<void> {
  const plan = await planOf(accountId)
  expect({ tier: plan.tier, left: plan.leftMs / SLACK_MS }).toEqual({ tier, left: about(leftMs) })
}

test('a bought month lasts 31 days, grants its credits at once, and ends by itself', async () => {
  const { id } = await scene.accounts.create('monthly')
  await buy(id, 'pro_monthly')
  await expectPlan(id, 'pro', MONTH_MS)
  expect(await bought(id)).toBe(50_000)
  await letPass(id, MONTH_MS + SLACK_MS)
  expect((await scene.accounts.find(id))?.tier).toBe('free')
  expect(await bought(id)).toBe(50_000)
})

test('a bought year grants twelve times the credits, month by month, including months without any request', async () => {
  const { id } = await scene.accounts.create('annual')
  await buy(id, 'scale_annual')
  await expectPlan(id, 'scale', 12 * MONTH_MS)
  expect(await bought(id)).toBe(500_000)
  await letPass(id, MONTH_MS - SLACK_MS)
  expect(await bought(id)).toBe(500_000)
  await letPass(id, 2 * SLACK_MS)
  expect(await bought(id)).toBe(2 * 500_000)
  await letPass(id, 20 * MONTH_MS)
  expect(await bought(id)).toBe(12 * 500_000)
  expect((await scene.accounts.find(id))?.tier).toBe('free')
})

test('buying the same tier again extends it from its end', async () => {
  const { id } = await scene.accounts.create('again')
  await buy(id, 'pro_monthly')
  await letPass(id, 10 * DAY_MS)
  await buy(id, 'pro_annual')
  await expectPlan(id, 'pro', 13 * MONTH_MS - 10 * DAY_MS)
  expect(await bought(id)).toBe(2 * 50_000)
  await letPass(id, 14 * MONTH_MS)
  expect(await bought(id)).toBe(13 * 50_000)
})

test('a higher tier starts at once; the rest of the old one waits and resumes, with its days and credits', async () => {
  const { id } = await scene.accounts.create('upgraded')
  await buy(id, 'pro_annual')
  await letPass(id, 40 * DAY_MS)
  expect(await bought(id)).toBe(2 * 50_000)
  await buy(id, 'scale_monthly')
  await expectPlan(id, 'scale', MONTH_MS)
  expect(await bought(id)).toBe(2 * 50_000 + 500_000)
  await letPass(id, MONTH_MS + DAY_MS)
  await expectPlan(id, 'pro', 12 * MONTH_MS - 41 * DAY_MS)
  await letPass(id, 12 * MONTH_MS)
  expect(await bought(id)).toBe(12 * 50_000 + 500_000)
  expect((await scene.accounts.find(id))?.tier).toBe('free')
})

test('a lower tier starts at the end of the higher one, also without any request at that time', async () => {
  const { id } = await scene.accounts.create('lower')
  await buy(id, 'enterprise_monthly')
  await buy(id, 'pro_monthly')
  await buy(id, 'scale_monthly')
  await expectPlan(id, 'enterprise', MONTH_MS)
  const endMs = (await scene.accounts.find(id))?.tierExpiresAtMs ?? Number.NaN
  expect(await new Invoices(scene.database).waiting(id)).toEqual([
    { tier: 'scale', fromMs: endMs, untilMs: endMs + MONTH_MS },
    { tier: 'pro', fromMs: endMs + MONTH_MS, untilMs: endMs + 2 * MONTH_MS },
  ])
  await letPass(id, 1.5 * MONTH_MS)
  // The tier change is not settled yet.
  expect((await scene.accounts.find(id))?.tier).toBe('scale')
  await letPass(id, MONTH_MS)
  expect((await scene.accounts.find(id))?.tier).toBe('pro')
  await expectPlan(id, 'pro', 0.5 * MONTH_MS)
  await letPass(id, MONTH_MS)
  expect((await scene.accounts.find(id))?.tier).toBe('free')
  expect(await bought(id)).toBe(5_000_000 + 50_000 + 500_000)
})

test('a tier bought again after its end starts anew', async () => {
  const { id } = await scene.accounts.create('returned')
  await buy(id, 'pro_monthly')
  await letPass(id, 3 * MONTH_MS)
  await buy(id, 'pro_monthly')
  await expectPlan(id, 'pro', MONTH_MS)
})

test('bought months wait while a manually set tier runs, and a manual review is created', async () => {
  const { id } = await scene.accounts.create('arranged')
  const expiresAtMs = (await postgresNowMs(scene.database)) + 10 * DAY_MS
  await scene.accounts.setTier(id, { tier: 'scale', expiresAtMs, monthlyCredits: 0 })
  expect((await scene.accounts.find(id))?.isArranged).toBe(true)
  const invoice = await buy(id, 'enterprise_monthly')
  await expectPlan(id, 'scale', 10 * DAY_MS)
  expect(await bought(id)).toBe(5_000_000)
  const reviews = await scene.database
    .selectFrom('payment_reviews')
    .selectAll()
    .where('subject', '=', invoice)
    .execute()
  expect(reviews.map(({ reason }) => reason)).toEqual(['tier_arranged'])
  await letPass(id, 11 * DAY_MS)
  await expectPlan(id, 'enterprise', MONTH_MS - DAY_MS)
})

test('bought months wait when an operator sets a tier, and end when an operator sets the free tier', async () => {
  const { id } = await scene.accounts.create('operated')
  await buy(id, 'pro_annual')
  await letPass(id, 10 * DAY_MS)
  const expiresAtMs = (await postgresNowMs(scene.database)) + DAY_MS
  await scene.accounts.setTier(id, { tier: 'enterprise', expiresAtMs, monthlyCredits: 0 })
  await letPass(id, DAY_MS + SLACK_MS)
  await expectPlan(id, 'pro', 12 * MONTH_MS - 10 * DAY_MS - SLACK_MS)
  await scene.accounts.setTier(id, { tier: 'free', monthlyCredits: 0 })
  expect((await planOf(id)).tier).toBe('free')
  await letPass(id, 5 * MONTH_MS)
  expect(await bought(id)).toBe(50_000)
})

test('concurrent payments for one account are all credited', async () => {
  const { id } = await scene.accounts.create('many')
  const packs = ['pro_monthly', 'scale_monthly', 'pro_monthly', 'enterprise_monthly', 'credits_10k', 'scale_monthly']
  await Promise.all(packs.map((pack) => buy(id, pack)))
  await expectPlan(id, 'enterprise', MONTH_MS)
  const { rows } = await sql<{ tier: string; left: string }>`
    SELECT tier, sum(left_ms) AS left FROM paid_months WHERE account_id = ${id} GROUP BY tier ORDER BY tier
  `.execute(scene.database)
  expect(rows.map(({ tier, left }) => [tier, Math.round(Number(left) / DAY_MS)])).toEqual([
    ['enterprise', 31],
    ['pro', 62],
    ['scale', 62],
  ])
  expect(await bought(id)).toBe(2 * 50_000 + 2 * 500_000 + 5_000_000 + 10_000)
})
