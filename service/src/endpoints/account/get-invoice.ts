import { z } from 'zod'
import { Fault } from '../../domain/api-error.ts'
import { endpoint } from '../endpoint.ts'
import { InvoiceEntry, invoiceEntryOf } from './invoice-entry.ts'
import { signedIn } from './signed-in.ts'

export const getInvoice = endpoint({
  method: 'GET',
  path: '/v1/payments/invoices/{invoice_id}',
  name: 'get_invoice',
  group: 'Account',
  summary: 'How far an invoice is',
  access: { by: 'session' },
  params: z.object({ invoice_id: z.string().max(128) }),
  reply: InvoiceEntry,
  faults: ['invoice_not_found'],

  async handle({ params, stores, ...question }) {
    const { member } = signedIn(question)
    const { success: isId } = z.uuid().safeParse(params.invoice_id)
    const invoice = isId ? await stores.invoices.find(params.invoice_id, member.accountId) : undefined
    if (invoice === undefined) throw new Fault('invoice_not_found', 'This account has no invoice with this id.')
    return { body: invoiceEntryOf(invoice) }
  },
})
