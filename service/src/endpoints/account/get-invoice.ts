import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { endpoint } from '../endpoint.ts'
import { InvoiceEntry, invoiceEntryOf } from './invoice-entry.ts'
import { signedIn } from './signed-in.ts'

export const getInvoice = endpoint({
  method: 'GET',
  path: '/v1/payments/invoices/{invoice_id}',
  name: 'get_invoice',
  group: 'Account',
  summary: 'Get an invoice and its payment status',
  access: { by: 'session' },
  params: z.object({ invoice_id: z.string().max(128) }),
  reply: InvoiceEntry,
  errors: ['invoice_not_found'],

  async handle({ params, stores, ...request }) {
    const { user } = signedIn(request)
    const { success: isId } = z.uuid().safeParse(params.invoice_id)
    const invoice = isId ? await stores.invoices.find(params.invoice_id, user.accountId) : undefined
    if (invoice === undefined) throw new ApiError('invoice_not_found', 'This account has no invoice with this id.')
    return { body: invoiceEntryOf(invoice) }
  },
})
