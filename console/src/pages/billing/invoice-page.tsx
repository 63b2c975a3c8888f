import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Invoice } from '../../data/account-types.ts'
import { invoiceQuery, packsQuery, subscriptionQuery } from '../../data/queries.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { Page, Panel } from '../../views/page.tsx'
import { useNow } from '../../views/use-now.ts'
import { Problem, View } from '../../views/view.tsx'
import { capitalised, durationText, usdText } from '../../words/formats.ts'
import { INVOICE_TEXTS, missingAmount, NOT_CREATED } from '../../words/invoice-texts.ts'
import { grantedText, packTitleOf } from '../../words/pack-texts.ts'
import styles from './billing.module.css'
import { PaymentDetails } from './payment-details.tsx'
import { usePurchase } from './use-purchase.ts'
import { useRefreshWhenPaid } from './use-refresh-when-paid.ts'

const PAYABLE: readonly string[] = ['open', 'underpaid']
const OVER: readonly string[] = ['expired', 'failed']

export function InvoicePage(): ReactNode {
  return (
    <SignInGate title="Invoice" purpose="Sign in to see your invoice.">
      <InvoiceOfAccount />
    </SignInGate>
  )
}

function InvoiceOfAccount(): ReactNode {
  const { invoice: id } = useParams({ from: '/billing/$invoice' })
  const invoice = useQuery(invoiceQuery(id))
  const packs = useQuery(packsQuery)
  useRefreshWhenPaid(invoice.data && [invoice.data])
  const title = invoice.data === undefined ? 'Invoice' : packTitleOf(invoice.data.pack, packs.data?.packs)
  return (
    <Page title={`Invoice: ${title}`} action={<Link to="/billing">All invoices</Link>}>
      <View of={invoice}>
        {(data) => (
          <>
            <State invoice={data} />
            {PAYABLE.includes(data.status) && <PaymentDetails invoice={data} />}
            <Facts invoice={data} />
          </>
        )}
      </View>
    </Page>
  )
}

function State({ invoice }: { readonly invoice: Invoice }): ReactNode {
  const { status, amountDue, amountReceived, payCurrency, expiresAt, pack, paidAt, refundedAt } = invoice
  const { name, tone, title, text } = INVOICE_TEXTS[status]
  const missing = status === 'underpaid' ? missingAmount(amountDue, amountReceived) : undefined
  const purchase = usePurchase()
  return (
    <Panel title={title} note={<Badge tone={tone}>{name}</Badge>}>
      <div className={styles.state} role="status">
        {missing !== undefined && (
          <p className={styles.missing}>
            Missing: {missing} {payCurrency?.toUpperCase()}
          </p>
        )}
        <p>{status === 'failed' && invoice.invoiceUrl === null ? NOT_CREATED : text}</p>
        {status === 'paid' && <Granted pack={pack} />}
        {status === 'refunded' && refundedAt !== null && (
          <p className={controls.hint}>
            Refund seen <Instant at={refundedAt} />.
          </p>
        )}
        {status === 'open' && <TimeLeft until={expiresAt} />}
        {status === 'paid' && paidAt !== null && (
          <p className={controls.hint}>
            Paid <Instant at={paidAt} />. <Link to="/account">See your tier and credits</Link>
          </p>
        )}
      </div>
      {OVER.includes(status) && (
        <div className={controls.row}>
          <button
            type="button"
            className={controls.primary}
            disabled={purchase.isPending}
            onClick={() => purchase.mutate({ pack, ...(payCurrency !== null && { currency: payCurrency }) })}
          >
            Create a new invoice
          </button>
        </div>
      )}
      {purchase.error !== null && <Problem error={purchase.error} />}
    </Panel>
  )
}

/** What was granted, and until when the tier of the pack runs. */
function Granted({ pack: id }: { readonly pack: string }): ReactNode {
  const packs = useQuery(packsQuery)
  const subscription = useQuery(subscriptionQuery)
  const pack = packs.data?.packs.find((each) => each.id === id)
  const tier = pack?.tier ?? undefined
  const plan = subscription.data
  const waits = plan?.waiting.find((each) => each.tier === tier)
  return (
    <p>
      {packs.isPending ? '' : grantedText(pack)}{' '}
      {tier !== undefined && plan?.tier === tier && (
        <>
          {capitalised(tier)} runs until <Instant at={plan.expiresAt} dayOnly />.
        </>
      )}
      {tier !== undefined && waits !== undefined && waits.from !== null && (
        <>
          {capitalised(tier)} begins <Instant at={waits.from} dayOnly />, when your present tier ends.
        </>
      )}
    </p>
  )
}

function TimeLeft({ until }: { readonly until: string }): ReactNode {
  const leftMs = Date.parse(until) - useNow()
  return leftMs > 0 && <p className={controls.hint}>{durationText(leftMs)} left to pay.</p>
}

function Facts({ invoice }: { readonly invoice: Invoice }): ReactNode {
  const { priceUsd, createdAt, invoiceId } = invoice
  return (
    <Panel title="Details">
      <dl className={styles.facts}>
        <div>
          <dt>Price</dt>
          <dd>{usdText(priceUsd)}</dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Instant at={createdAt} />
          </dd>
        </div>
        <div>
          <dt>Reference for support</dt>
          <dd>
            <code>{invoiceId}</code>
          </dd>
        </div>
      </dl>
    </Panel>
  )
}
