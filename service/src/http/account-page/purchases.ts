import { capitalised, copyOf, dayText, during, numberText, orShow, part, request } from './page-parts.ts'

interface Pack {
  readonly id: string
  readonly tier: string | null
  readonly priceUsd: number
  readonly credits: number
  readonly months: number
}

interface Invoice {
  readonly invoiceId: string
  readonly invoiceUrl: string | null
  readonly pack: string
  readonly priceUsd: number
  readonly status: string
  readonly createdAt: string
}

const POLL_MS = 5_000
const STATUS_TEXTS: Readonly<Record<string, string>> = {
  creating: 'is being created',
  open: 'waits for payment',
  confirming: 'payment received, waiting for confirmation',
  underpaid: 'paid in part; pay the rest, or contact support',
  expired: 'expired; money that is on its way still counts',
  failed: 'failed',
  paid: 'paid',
  refunded: 'refunded',
}
const PAYABLE: ReadonlySet<string> = new Set(['open', 'underpaid'])
const CHANGING: ReadonlySet<string> = new Set(['creating', 'open', 'confirming', 'underpaid'])

const packs = new Map<string, Pack>()
let shown = ''

/** Lists what can be bought. A button creates an invoice and opens its payment page. */
export async function showPacks(): Promise<void> {
  const { packs: listed } = await request<{ packs: Pack[] }>('/v1/payments/packs')
  for (const pack of listed) packs.set(pack.id, pack)
  part('packs').replaceChildren(...listed.map(packRow))
}

function packRow(pack: Pack): Node {
  const { row, find } = copyOf('pack-row')
  find('.label').textContent = titleOf(pack)
  find('.facts').textContent =
    pack.tier === null ? 'added once' : `${numberText(pack.credits)} credits a month, limits of the ${pack.tier} tier`
  const button = find<HTMLButtonElement>('button')
  button.textContent = `Buy for $${pack.priceUsd}`
  button.setAttribute('aria-label', `Buy ${titleOf(pack)} for $${pack.priceUsd}`)
  const problem = find('.problem')
  button.addEventListener('click', () => {
    void during(button, problem, async () => {
      const { invoiceUrl } = await request<Invoice>('/v1/payments/create-invoice', 'POST', { pack: pack.id })
      if (invoiceUrl !== null) location.assign(invoiceUrl)
    })
  })
  return row
}

function titleOf({ tier, credits, months }: Pack): string {
  if (tier === null) return `${numberText(credits)} credits`
  return `${capitalised(tier)}, ${months === 1 ? '1 month' : `${months} months`}`
}

/** Lists the invoices. `onChange` refreshes the rest of the page when one of them has changed. */
export async function showInvoices(onChange: () => Promise<void>): Promise<void> {
  const { invoices } = await request<{ invoices: Invoice[] }>('/v1/payments/invoices')
  const found = JSON.stringify(invoices)
  if (found !== shown) {
    part('no-invoices').hidden = invoices.length > 0
    part('invoices').replaceChildren(...invoices.map(invoiceRow))
    const isFirst = shown === ''
    shown = found
    if (!isFirst) await onChange()
  }
}

/** Looks again as long as an invoice of the last answer may change, also after an error. */
export function followInvoices(onChange: () => Promise<void>): void {
  const invoices = shown === '' ? [] : (JSON.parse(shown) as Invoice[])
  if (invoices.some(({ status }) => CHANGING.has(status))) setTimeout(() => void lookAgain(onChange), POLL_MS)
}

async function lookAgain(onChange: () => Promise<void>): Promise<void> {
  if (part('signed-in').hidden) return
  if (document.hidden) document.addEventListener('visibilitychange', () => void lookAgain(onChange), { once: true })
  else {
    await orShow(part('invoice-problem'), () => showInvoices(onChange))
    followInvoices(onChange)
  }
}

function invoiceRow({ pack: id, priceUsd, status, createdAt, invoiceUrl }: Invoice): Node {
  const { row, find } = copyOf('invoice-row')
  const pack = packs.get(id)
  const title = pack === undefined ? id : titleOf(pack)
  find('.label').textContent = title
  find('.status').textContent = STATUS_TEXTS[status] ?? status
  find('.facts').textContent = `$${priceUsd} · created ${dayText(createdAt)}`
  const link = find<HTMLAnchorElement>('a')
  link.hidden = !PAYABLE.has(status) || invoiceUrl === null || !/^https?:/.test(invoiceUrl)
  if (invoiceUrl !== null && !link.hidden) link.href = invoiceUrl
  link.setAttribute('aria-label', `Pay the invoice for ${title}`)
  return row
}
