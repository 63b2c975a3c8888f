import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { resolveReview, reviewsQuery } from '../../data/operator-queries.ts'
import type { Review } from '../../data/operator-types.ts'
import { useNotify } from '../../shell/notices.tsx'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { numberText, plainText, usdText } from '../../words/formats.ts'
import { reviewText } from '../../words/operator-texts.ts'
import styles from './ops.module.css'
import { ReasonDialog } from './reason-dialog.tsx'

export function ReviewsView(): ReactNode {
  const reviews = useQuery(reviewsQuery)
  const [resolved, setResolved] = useState<Review>()
  return (
    <>
      <View
        of={reviews}
        empty={({ reviews: list }) => (list.length === 0 ? 'No payment waits for a decision.' : undefined)}
      >
        {({ reviews: list, has_more: hasMore }) => (
          <>
            {list.map((review) => (
              <Waiting key={review.id} review={review} onResolve={() => setResolved(review)} />
            ))}
            {hasMore && <p>More reviews follow when these are resolved.</p>}
          </>
        )}
      </View>
      {resolved !== undefined && <ResolveDialog review={resolved} onClose={() => setResolved(undefined)} />}
    </>
  )
}

function Waiting({ review, onResolve }: { readonly review: Review; readonly onResolve: () => void }): ReactNode {
  const { id, at, provider, reason, reported, subject } = review
  return (
    <Panel
      title={`Review ${id}`}
      note={
        <>
          since <Instant at={at} />
        </>
      }
    >
      <div className={styles.review}>
        <p>
          <Badge tone="warn">{reason.replaceAll('_', ' ')}</Badge> {reviewText(reason)}
        </p>
        <button type="button" className={controls.button} onClick={onResolve} aria-label={`Resolve review ${id}`}>
          Resolve
        </button>
      </div>
      <Facts review={review} />
      {reported.length === 0 ? (
        <p className={controls.hint}>
          {provider} has sent no callback about <code>{subject}</code>.
        </p>
      ) : (
        <Table
          caption={`States that the processor reported for review ${id}`}
          rows={reported.map((state, place) => ({ ...state, place }))}
          rowKey={({ place }) => String(place)}
          columns={[
            { name: 'Reported', cell: ({ first_at: first }) => <Instant at={first} /> },
            { name: 'State', cell: ({ state }) => <bdi>{plainText(state ?? 'not named')}</bdi> },
            { name: 'Payment', cell: ({ payment_id: payment }) => <bdi>{plainText(payment ?? '–')}</bdi> },
            { name: 'Times', isNumber: true, cell: ({ times }) => numberText(times) },
            { name: 'Callback', cell: ({ body }) => <Callback body={body} /> },
          ]}
        />
      )}
    </Panel>
  )
}

function Facts({ review: { invoice, provider, subject, detail } }: { readonly review: Review }): ReactNode {
  if (invoice === null) {
    return (
      <p>
        There is no invoice here with the id <code>{subject}</code> of {provider}, so no account is known.
      </p>
    )
  }
  const { account_id: account, pack, price_usd: price, status, currency } = invoice
  const unit = currency === null ? '' : ` ${currency}`
  return (
    <dl className={styles.facts}>
      <Fact name="Account">
        <Link to="/ops" search={{ view: 'accounts', account }}>
          <code>{account}</code>
        </Link>
      </Fact>
      <Fact name="Invoice">
        <code>{invoice.id}</code>
      </Fact>
      <Fact name="Pack">
        {pack}, {usdText(price)}
      </Fact>
      <Fact name="State here">{status}</Fact>
      <Fact name="Processor">{provider}</Fact>
      {invoice.amount_due !== null && <Fact name="Due">{`${invoice.amount_due}${unit}`}</Fact>}
      {invoice.amount_received !== null && <Fact name="Received">{`${invoice.amount_received}${unit}`}</Fact>}
      {detail !== null && (
        <Fact name="Recorded then">
          <code>{plainText(detail)}</code>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Callback({ body }: { readonly body: string }): ReactNode {
  return (
    <details className={styles.callback}>
      <summary>Show</summary>
      <pre>{plainText(body)}</pre>
    </details>
  )
}

function ResolveDialog({ review, onClose }: { readonly review: Review; readonly onClose: () => void }): ReactNode {
  const client = useQueryClient()
  const notify = useNotify()
  return (
    <ReasonDialog
      title={`Resolve review ${review.id}`}
      submit="Resolve"
      change={(reason) => resolveReview(review.id, reason)}
      onDone={() => {
        void client.invalidateQueries({ queryKey: reviewsQuery.queryKey })
        notify(`Review ${review.id} is resolved.`)
        onClose()
      }}
      onClose={onClose}
    >
      <p>
        {reviewText(review.reason)} Resolving closes the review. It adds no credits: use{' '}
        <code>bookreel-server accounts grant</code> for that.
      </p>
    </ReasonDialog>
  )
}
