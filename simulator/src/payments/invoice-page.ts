import { createHash } from 'node:crypto'
import type { SimulatedInvoice } from './invoice-book.ts'
import { amountText, offersOf } from './offers.ts'

const PROCESSORS = { nowpayments: 'NOWPayments', btcpay: 'BTCPay' } as const
const MINUTE_MS = 60_000

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 1.5rem 1.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem; }
dt { opacity: .75; }
dd { margin: 0; overflow-wrap: anywhere; }
[role="status"] { padding: .7rem 1rem; border: 1px solid; border-radius: .5rem; font-weight: 600; }
form { display: flex; flex-wrap: wrap; gap: .6rem; }
button { font: inherit; padding: .5rem .9rem; border-radius: .5rem; }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** No scripts; the only style is the one in the page, and its form leads to the same host. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The payment page of an invoice, on which a person decides what the payer does. */
export function invoicePage(invoice: SimulatedInvoice): string {
  const { processor, description, orderId, returnUrl } = invoice
  const facts = [
    ['For', description],
    ['Amount', amountText(invoice, 1)],
    ['Received', amountText(invoice, invoice.paidShare)],
    ['Status at the processor', statusText(invoice)],
    ['Expires', expiryText(invoice)],
    ['Last callback to the shop', callbackText(invoice)],
    ['Order', orderId],
  ] as const
  const offers = offersOf(invoice)
  return page(
    `Simulated ${PROCESSORS[processor]} invoice`,
    `<p>This page stands in for the payment page of ${PROCESSORS[processor]}. No money moves.</p>
<p role="status">${escaped(summaryOf(invoice))}</p>
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join('\n')}
</dl>
<h2>What happens next?</h2>
${offers.length === 0 ? '<p>Nothing more can happen to this invoice.</p>' : ''}<form method="post">
${offers.map(({ name, label }) => `<button name="act" value="${name}">${escaped(label)}</button>`).join('\n')}
</form>
${returnUrl === undefined ? '' : `<p><a href="${escaped(returnUrl)}">Back to the shop</a></p>`}`,
  )
}

/** The page for an address without an invoice. */
export function noInvoicePage(): string {
  return page(
    'No such invoice',
    '<p>The simulator has no invoice with this id. It forgets all invoices when it stops. Create a new one.</p>',
  )
}

/** One sentence about an invoice, for a person. */
export function summaryOf({ status, paidShare }: SimulatedInvoice): string {
  if (status === 'finished' || status === 'Settled')
    return paidShare > 1 ? 'Paid, with more money than was due.' : 'Paid in full.'
  if (status === 'refunded') return 'Refunded.'
  if (status === 'failed' || status === 'Invalid') return 'The payment failed.'
  const isExpired = status === 'expired' || status === 'Expired'
  if (paidShare >= 1) return isExpired ? 'Paid after it had expired.' : 'Paid; waiting for confirmation.'
  if (paidShare > 0) return isExpired ? 'Expired after a part was paid.' : 'Paid in part; the rest is due.'
  return isExpired ? 'Expired without a payment.' : 'Waiting for the payment.'
}

function statusText({ status, additionalStatus }: SimulatedInvoice): string {
  return additionalStatus === 'None' ? status : `${status}, ${additionalStatus}`
}

function expiryText({ createdAtMs, lifeMinutes }: SimulatedInvoice): string {
  if (lifeMinutes === undefined) return 'no deadline at the processor; the shop has its own'
  return new Date(createdAtMs + lifeMinutes * MINUTE_MS).toISOString()
}

function callbackText({ callbackStatus }: SimulatedInvoice): string {
  if (callbackStatus === undefined) return 'none was answered yet'
  return callbackStatus === 0 ? 'not answered; it is repeated' : `answered with status ${callbackStatus}`
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
