import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { InvoiceEntry, invoiceEntryOf } from './invoice-entry.ts'
import { signedIn } from './signed-in.ts'

const MAX_LISTED = 50

export const listInvoices = endpoint({
  method: 'GET',
  path: '/v1/payments/invoices',
  name: 'list_invoices',
  group: 'Account',
  summary: 'List the invoices of the account, newest first',
  description: `Returns the newest ${MAX_LISTED} invoices, paid or not.`,
  access: { by: 'session' },
  reply: z.object({ invoices: z.array(InvoiceEntry) }).meta({ id: 'InvoiceList' }),
  errors: [],
  table: { columns: Object.keys(InvoiceEntry.shape), rows: ({ invoices }) => invoices },

  async handle({ stores, ...request }) {
    const { accountId } = signedIn(request).user
    const found = await stores.invoices.list(accountId, MAX_LISTED)
    return { body: { invoices: found.map(invoiceEntryOf) } }
  },
})
