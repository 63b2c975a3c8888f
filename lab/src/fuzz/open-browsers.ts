import { issueKey } from '@bookreel/service/access/issue-key'
import { SESSION_COOKIE } from '@bookreel/service/http/session-cookies'
import { type ApiService, PUBLIC_URL } from '../api-service.ts'
import type { Browser } from './make-request.ts'

const INVOICES = 2

/** Signed-in users, each with two keys and two unpaid invoices. */
export async function openBrowsers(service: ApiService, count: number, credits: number): Promise<Browser[]> {
  const accounts = await service.openAccounts(count, 'pro', credits)
  return Promise.all(
    accounts.map(async ({ id, keyId }) => {
      const token = await service.access.sessions.begin({ accountId: id, idToken: 'none' })
      const headers = { cookie: `${SESSION_COOKIE}=${token}`, origin: PUBLIC_URL, 'x-requested-with': 'bookreel' }
      const { stored } = await issueKey(service.access, { accountId: id, label: 'spare' })
      const invoiceIds: string[] = []
      for (let each = 0; each < INVOICES; each++) invoiceIds.push(await newInvoice(service, headers))
      return { headers, keyIds: [keyId], spareKeyIds: [stored.id], invoiceIds }
    }),
  )
}

async function newInvoice({ client, port }: ApiService, headers: Browser['headers']): Promise<string> {
  const { status, body } = await client.ask({
    port,
    method: 'POST',
    path: '/v1/payments/create-invoice',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ pack: 'credits_10k' }),
  })
  const text = body.toString()
  const { invoiceId } = JSON.parse(text) as { invoiceId?: string }
  if (invoiceId === undefined) throw new Error(`an invoice was refused with status ${status}: ${text}`)
  return invoiceId
}
