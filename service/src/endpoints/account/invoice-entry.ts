import { z } from 'zod'
import { INVOICE_STATES } from '../../domain/invoice.ts'
import { PACKS } from '../../domain/packs.ts'
import type { Invoice as StoredInvoice } from '../../stores/money/invoices.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

export const PACK_IDS = PACKS.map(({ id }) => id)

export const InvoiceEntry = z
  .object({
    invoice_id: z.uuid(),
    invoice_url: z.url().nullable().describe('payment page; null until it exists'),
    pack: z.string(),
    price_usd: z.number(),
    status: z
      .enum(INVOICE_STATES)
      .describe(
        'the pack is granted when the status becomes `paid`; an `expired` invoice that is paid late becomes `paid` too',
      ),
    created_at: Instant,
    expires_at: Instant.describe('deadline for the payment'),
    paid_at: Instant.nullable(),
  })
  .meta({ id: 'Invoice' })

export function invoiceEntryOf(invoice: StoredInvoice): z.output<typeof InvoiceEntry> {
  return {
    invoice_id: invoice.id,
    invoice_url: invoice.url ?? null,
    pack: invoice.pack,
    price_usd: invoice.priceUsd,
    status: invoice.state,
    created_at: instantOf(invoice.createdAtMs),
    expires_at: instantOf(invoice.expiresAtMs),
    paid_at: invoice.paidAtMs === undefined ? null : instantOf(invoice.paidAtMs),
  }
}
