import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { INVOICES_PATH, invoicesQuery } from '../../data/list-queries.ts'
import { packsQuery } from '../../data/queries.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import { Badge } from '../../views/badge.tsx'
import { Instant } from '../../views/instant.tsx'
import { CsvButton, ShowMore } from '../../views/list-actions.tsx'
import { Page, Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { usdText } from '../../words/formats.ts'
import { INVOICE_TEXTS } from '../../words/invoice-texts.ts'
import { packTitleOf } from '../../words/pack-texts.ts'
import { PackList } from './pack-list.tsx'
import { useRefreshWhenPaid } from './use-refresh-when-paid.ts'

export function BillingPage(): ReactNode {
  return (
    <SignInGate title="Billing" purpose="Sign in to buy a tier or credits, and to see your invoices.">
      <Billing />
    </SignInGate>
  )
}

function Billing(): ReactNode {
  const packs = useQuery(packsQuery)
  const invoices = useInfiniteQuery(invoicesQuery)
  useRefreshWhenPaid(invoices.data)
  return (
    <Page
      title="Billing"
      lead="You pay with a coin at the payment processor. What you bought is granted when the payment is confirmed."
    >
      <Panel title="Packs" note={<Link to="/pricing">Compare tiers</Link>}>
        <View of={packs} empty={({ packs: list }) => (list.length === 0 ? 'Nothing is sold here.' : undefined)}>
          {({ packs: list, tiers }) => <PackList packs={list} tiers={Object.keys(tiers)} />}
        </View>
      </Panel>
      <Panel title="Invoices" note={<CsvButton path={INVOICES_PATH} query={{ limit: '100' }} name="invoices" />}>
        <View of={invoices} empty={(list) => (list.length === 0 ? 'You have no invoices.' : undefined)}>
          {(list) => (
            <>
              <Table
                caption="Invoices"
                rows={list}
                rowKey={({ invoiceId }) => invoiceId}
                columns={[
                  {
                    name: 'Pack',
                    cell: ({ invoiceId, pack }) => (
                      <Link to="/billing/$invoice" params={{ invoice: invoiceId }}>
                        {packTitleOf(pack, packs.data?.packs)}
                      </Link>
                    ),
                  },
                  {
                    name: 'State',
                    cell: ({ status }) => <Badge tone={INVOICE_TEXTS[status].tone}>{INVOICE_TEXTS[status].name}</Badge>,
                  },
                  { name: 'Price', isNumber: true, cell: ({ priceUsd }) => usdText(priceUsd) },
                  { name: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} /> },
                ]}
              />
              <ShowMore of={invoices} what="invoices" />
            </>
          )}
        </View>
      </Panel>
    </Page>
  )
}
