import { z } from 'zod'
import { INVOICE_STATES } from '../../domain/invoice.ts'
import { PACKS } from '../../domain/packs.ts'
import type { Invoice as StoredInvoice } from '../../stores/money/invoices.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

export const PACK_IDS = PACKS.map(({ id }) => id)

export const InvoiceEntry = z
  .object({
    invoiceId: z.uuid(),
    invoiceUrl: z.url().nullable().describe('payment page; null until it exists'),
    pack: z.string(),
    priceUsd: z.number(),
    status: z
      .enum(INVOICE_STATES)
      .describe(
        'the pack is granted when the status becomes `paid`; an `expired` invoice that is paid late becomes `paid` too',
      ),
    createdAt: Instant,
    expiresAt: Instant.describe('deadline for the payment'),
    paidAt: Instant.nullable(),
    payCurrency: z
      .string()
      .nullable()
      .describe(
        'coin to pay with; null until the payer has chosen one. It and the members below are those of the last answer of the payment processor',
      ),
    amountDue: z
      .string()
      .nullable()
      .describe('coins asked for, a decimal number; null until the processor asks for them'),
    amountReceived: z
      .string()
      .nullable()
      .describe('coins that have come; less than `amountDue` when `status` is `underpaid`'),
    address: z
      .string()
      .nullable()
      .describe('address of the coins; send them only while the status is `open` or `underpaid`'),
    addressMemo: z.string().nullable().describe('memo or tag that must be sent too; null when the coin has none'),
    paymentUri: z.string().nullable().describe('address and amount for wallets; null when the processor reports none'),
    refundedAt: Instant.nullable().describe('when the payment processor first reported the refund'),
  })
  .meta({ id: 'Invoice' })

export function invoiceEntryOf(invoice: StoredInvoice): z.output<typeof InvoiceEntry> {
  return {
    invoiceId: invoice.id,
    invoiceUrl: invoice.url ?? null,
    pack: invoice.pack,
    priceUsd: invoice.priceUsd,
    status: invoice.state,
    createdAt: instantOf(invoice.createdAtMs),
    expiresAt: instantOf(invoice.expiresAtMs),
    paidAt: invoice.paidAtMs === undefined ? null : instantOf(invoice.paidAtMs),
    payCurrency: invoice.request?.currency ?? invoice.payCurrency ?? null,
    amountDue: invoice.request?.amountDue ?? null,
    amountReceived: invoice.request?.amountReceived ?? null,
    address: invoice.request?.address ?? null,
    addressMemo: invoice.request?.memo ?? null,
    paymentUri: invoice.request?.uri ?? null,
    refundedAt: invoice.refundedAtMs === undefined ? null : instantOf(invoice.refundedAtMs),
  }
}
