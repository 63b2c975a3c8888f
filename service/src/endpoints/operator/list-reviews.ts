import { z } from 'zod'
import { readCallbackBody } from '../../payments/callback-body.ts'
import type { OpenReview, ReportedState, ReviewedInvoice } from '../../stores/money/review-list.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { FOR_OPERATORS } from './operator-of.ts'

const MOST_REVIEWS = 100
const MAX_BODY_LENGTH = 4_000
/** Members in which processors send the state of a payment. */
const STATE_MEMBERS = ['payment_status', 'status', 'type']

const Invoice = z.object({
  id: z.string(),
  account_id: z.string(),
  pack: z.string(),
  status: z.string(),
  price_usd: z.number(),
  created_at: Instant,
  currency: z.string().nullable(),
  amount_due: z.string().nullable(),
  amount_received: z.string().nullable(),
})

const Review = z.object({
  id: z.int(),
  at: Instant,
  provider: z.string(),
  subject: z.string().describe('id of the invoice here, or of the processor when there is none here'),
  reason: z.string(),
  detail: z.string().nullable(),
  invoice: Invoice.nullable(),
  reported: z
    .array(
      z.object({
        state: z.string().nullable(),
        payment_id: z.string().nullable(),
        first_at: Instant,
        last_at: Instant,
        times: z.int(),
        body: z.string(),
      }),
    )
    .describe('what the processor reported, newest first'),
})

export const listReviews = endpoint({
  method: 'GET',
  path: '/operator/reviews',
  name: 'list_operator_reviews',
  group: 'Console',
  summary: 'List payments that wait for a decision',
  access: FOR_OPERATORS,
  reply: z.object({ reviews: z.array(Review).describe(`the oldest ${MOST_REVIEWS}`), has_more: z.boolean() }),
  errors: [],

  async handle({ stores }) {
    const found = await stores.reviewList.open(MOST_REVIEWS + 1)
    return {
      body: { reviews: found.slice(0, MOST_REVIEWS).map(reviewOf), has_more: found.length > MOST_REVIEWS },
    }
  },
})

function reviewOf({ id, atMs, invoice, reported, ...review }: OpenReview): z.infer<typeof Review> {
  return {
    id: Number(id),
    at: instantOf(atMs),
    ...review,
    invoice: invoice === undefined ? null : invoiceOf(invoice),
    reported: reported.map(stateOf),
  }
}

function invoiceOf(invoice: ReviewedInvoice): z.infer<typeof Invoice> {
  const { id, pack, currency } = invoice
  return {
    id,
    account_id: invoice.accountId,
    pack,
    status: invoice.state,
    price_usd: invoice.priceUsd,
    created_at: instantOf(invoice.createdAtMs),
    currency,
    amount_due: invoice.amountDue,
    amount_received: invoice.amountReceived,
  }
}

function stateOf({ firstAtMs, lastAtMs, times, paymentId, body }: ReportedState) {
  return {
    state: stateIn(body),
    payment_id: paymentId,
    first_at: instantOf(firstAtMs),
    last_at: instantOf(lastAtMs),
    times,
    body: body.length > MAX_BODY_LENGTH ? `${body.slice(0, MAX_BODY_LENGTH)} …` : body,
  }
}

function stateIn(body: string): string | null {
  const members = (readCallbackBody(Buffer.from(body)) ?? {}) as Readonly<Record<string, unknown>>
  const found = STATE_MEMBERS.map((name) => members[name]).find((value) => typeof value === 'string')
  return typeof found === 'string' ? found : null
}
