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
  }
}
