import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { InvoiceEntry, invoiceEntryOf } from './invoice-entry.ts'
import { signedIn } from './signed-in.ts'

/** The last invoice of the page before. */
const Position = z.tuple([z.uuid()])

export const listInvoices = endpoint({
  method: 'GET',
  path: '/v1/payments/invoices',
  name: 'list_invoices',
  group: 'Account',
  summary: 'List the invoices of the account, newest first',
  description: 'Paid or not.',
  access: { by: 'session' },
  query: z.object({
    limit: wholeNumber(1, 100).default(50).describe('invoices per page'),
    cursor: Cursor.optional(),
  }),
  reply: z.object({ invoices: z.array(InvoiceEntry), next_cursor: NextCursor }).meta({ id: 'InvoiceList' }),
  errors: [],
  table: { columns: Object.keys(InvoiceEntry.shape), rows: ({ invoices }) => invoices, inRows: ['invoices'] },

  async handle({ query, stores, ...request }) {
    const { accountId } = signedIn(request).user
    const list = `invoices ${accountId}`
    const [afterId] = decodeCursor(query.cursor, list, Position) ?? []
    const found = await stores.invoices.list(accountId, { limit: query.limit + 1, afterId })
    const page = found.slice(0, query.limit)
    const last = page.at(-1)
    const next = last && found.length > page.length ? encodeCursor(list, [last.id]) : null
    return { body: { invoices: page.map(invoiceEntryOf), next_cursor: next } }
  },
})
