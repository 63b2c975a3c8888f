import type { Quote } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useMemo } from 'react'
import { type PresentMarket, type Quotes, quotesQuery } from '../../data/catalogue-queries.ts'
import { usePreferences } from '../../data/preferences.ts'
import { healthQuery } from '../../data/queries.ts'
import { Table } from '../../views/table.tsx'
import { useNow } from '../../views/use-now.ts'
import { errorText } from '../../words/error-sentences.ts'
import { clockText, durationText, instantText } from '../../words/formats.ts'
import { centsText, percentOfPrice, timeLeftText } from '../../words/market-texts.ts'
import { recordingText } from '../../words/outage-texts.ts'
import { quoteReason, spreadText } from '../../words/quote-texts.ts'
import { MarketCell } from './market-cell.tsx'
import styles from './markets.module.css'
import { useVisibleRows } from './use-visible-rows.ts'

interface NowTableProps {
  readonly markets: readonly PresentMarket[]
  readonly box: RefObject<HTMLElement | null>
}

/** Present markets with the best prices of their first token. */
export function NowTable({ markets, box }: NowTableProps): ReactNode {
  const ids = useMemo(() => markets.map(({ conditionId }) => conditionId), [markets])
  const visible = useVisibleRows(box, ids)
  const { data: quotes = {}, error, dataUpdatedAt } = useQuery(quotesQuery(ids, visible))
  const { data: unrecorded } = useQuery({ ...healthQuery, select: recordingText })
  const nowMs = useNow()
  const { zone } = usePreferences()
  const atText = (at: string): string => instantText(at, zone)
  return (
    <>
      <Table
        caption="Markets now"
        rows={markets}
        rowKey={({ conditionId }) => conditionId}
        columns={[
          { name: 'Market', cell: ({ conditionId: id, ...market }) => <MarketCell id={id} {...market} /> },
          {
            name: 'Ends in',
            isNumber: true,
            cell: (market) => <Ending market={market} nowMs={nowMs} atText={atText} />,
          },
          { name: 'Bid · ask', isNumber: true, cell: ({ conditionId: id }) => <Prices of={quotes[id]} /> },
          { name: 'Spread', isNumber: true, cell: ({ conditionId: id }) => <Spread of={quotes[id]} /> },
        ]}
      />
      {unrecorded !== undefined && (
        <p className={styles.note} role="status">
          {unrecorded}
        </p>
      )}
      {error !== null && (
        <p className={styles.note} role="status">
          {dataUpdatedAt > 0 && `Prices as of ${clockText(dataUpdatedAt, zone)}. `}
          {'code' in error && errorText(String(error.code), error.message).title} The page tries again.
        </p>
      )}
    </>
  )
}

interface EndingProps {
  readonly market: PresentMarket
  readonly nowMs: number
  readonly atText: (at: string) => string
}

function Ending({ market: { status, startDate, endDate }, nowMs, atText }: EndingProps): ReactNode {
  const leftMs = Date.parse(endDate) - nowMs
  const startsInMs = startDate === null ? 0 : Date.parse(startDate) - nowMs
  return (
    <time dateTime={endDate} title={atText(endDate)}>
      {leftMs > 0 ? timeLeftText(leftMs) : 'ended'}
      <small className={styles.small}>
        {status === 'upcoming' && startsInMs > 0 ? `begins in ${timeLeftText(startsInMs)}` : statusText(status)}
      </small>
    </time>
  )
}

function statusText(status: PresentMarket['status']): string {
  return status === 'expired' ? 'has a result' : status
}

type OneQuote = Quotes[string] | undefined

function isQuote(quote: OneQuote): quote is Quote {
  return quote !== undefined && 'captured_at' in quote
}

/** As a price and as a probability. A book that is not current is grey and has its age. */
function Prices({ of: quote }: { readonly of: OneQuote }): ReactNode {
  if (!isQuote(quote)) return <None of={quote} />
  const { up_bid: bid, up_ask: ask, stale, age_ms: ageMs } = quote
  return (
    <span className={stale ? styles.stale : undefined}>
      {priceText(bid)} · {priceText(ask)}
      <small className={styles.small}>
        {stale ? `${durationText(ageMs)} old` : `${percentText(bid)} · ${percentText(ask)}`}
      </small>
    </span>
  )
}

function Spread({ of: quote }: { readonly of: OneQuote }): ReactNode {
  if (!isQuote(quote)) return '–'
  return <span className={quote.stale ? styles.stale : undefined}>{spreadText(quote.up_bid, quote.up_ask)}</span>
}

function None({ of: quote }: { readonly of: Exclude<OneQuote, Quote> }): ReactNode {
  return (
    <span className={styles.stale}>
      –<small className={styles.small}>{quote === undefined ? '' : quoteReason(quote.reason)}</small>
    </span>
  )
}

function priceText(price: number | null): string {
  return price === null ? '–' : centsText(price)
}

function percentText(price: number | null): string {
  return price === null ? 'none' : percentOfPrice(price)
}
