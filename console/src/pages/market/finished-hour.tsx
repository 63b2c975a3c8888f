import type { CoveragePart, HourReport } from '@bookreel/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { lastChargesQuery } from '../../data/download-queries.ts'
import { hourReportQuery } from '../../data/market-data-queries.ts'
import { paidClient } from '../../data/paid-client.ts'
import { userTierQuery } from '../../data/queries.ts'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { saveFile } from '../../views/save-file.ts'
import { useOpened } from '../../views/use-opened.ts'
import { Problem, View } from '../../views/view.tsx'
import { bytesText, countText, numberText, percentText } from '../../words/formats.ts'
import { causeText } from '../../words/gap-causes.ts'
import { heldFiles, hourPath } from '../downloads/held-files.ts'
import styles from './data-tab.module.css'

const TONES = { available: 'good', degraded: 'warn', missing: 'bad', pending: 'quiet' } as const

interface FinishedHourProps {
  readonly id: string
  readonly part: CoveragePart
}

/** One hour; its file is looked up when it is opened. */
export function FinishedHour({ id, part }: FinishedHourProps): ReactNode {
  const [isOpen, details] = useOpened()
  return (
    <li>
      <details {...details}>
        <summary className={styles.hour}>
          <Instant at={part.start} />
          <Badge tone={TONES[part.condition]}>{part.condition}</Badge>
          <span>{numberText(2 * part.stored_slots)} rows</span>
          <span>{percentText(part.share * 100)}</span>
          <span className={controls.hint}>
            {numberText(part.missing_slots)} missing, {numberText(part.suspect_slots)} suspect
          </span>
        </summary>
        {isOpen && <HourFile id={id} hour={part.start} />}
      </details>
    </li>
  )
}

function HourFile({ id, hour }: { readonly id: string; readonly hour: string }): ReactNode {
  const report = useQuery(hourReportQuery(id, hour))
  return (
    <View of={report} empty={({ rows }) => (rows === 0 ? 'This hour has no rows.' : undefined)}>
      {(data) => <Report of={data} />}
    </View>
  )
}

function Report({ of: report }: { readonly of: HourReport }): ReactNode {
  const { market_id: id, hour, rows, bytes, sha256, credits, gaps } = report
  const path = hourPath(id, Date.parse(hour))
  const held = useQuery({ ...lastChargesQuery, select: (entries) => heldFiles(entries, Date.now()) })
  const freeUntil = held.data?.find((file) => file.path === path)?.until
  return (
    <div className={styles.report}>
      <p>
        {countText(rows, 'row')} · {bytes === null ? 'file not written yet' : bytesText(bytes)} ·{' '}
        {countText(gaps.length, 'gap')}
        {gaps.length > 0 && `: ${[...new Set(gaps.map(({ cause }) => causeText(cause).name))].join(', ')}`}
      </p>
      {sha256 !== null && (
        <p className={controls.hint}>
          SHA-256 <code>{sha256}</code>
        </p>
      )}
      <Purchase id={id} hour={hour} price={credits} freeUntil={freeUntil} isKnown={held.data !== undefined} />
      {freeUntil !== undefined && (
        <p className={controls.hint}>
          Free again until <Instant at={freeUntil} />
        </p>
      )}
    </div>
  )
}

interface PurchaseProps {
  readonly id: string
  readonly hour: string
  readonly price: number
  /** Until when the bought file can be downloaded again without paying. */
  readonly freeUntil: string | undefined
  /** Whether it is known what was bought before. */
  readonly isKnown: boolean
}

function Purchase({ id, hour, price, freeUntil, isKnown }: PurchaseProps): ReactNode {
  const client = useQueryClient()
  const requestId = useRef(crypto.randomUUID())
  const purchase = useMutation({
    mutationFn: async () => {
      const file = await paidClient(requestId.current).history.exportHour(id, { hour })
      saveFile(file.bytes, file.name ?? `${id}-${hour.slice(0, 13)}Z.parquet`)
      return file.sha256
    },
    onSettled: () =>
      Promise.all(
        [lastChargesQuery, userTierQuery, hourReportQuery(id, hour)].map(({ queryKey }) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  })
  return (
    <>
      <div className={controls.row}>
        <button
          type="button"
          className={controls.button}
          disabled={purchase.isPending || !isKnown}
          onClick={() => {
            // The page may have been open since before it ended; then the price is shown first.
            if (freeUntil === undefined || Date.parse(freeUntil) > Date.now()) purchase.mutate()
            else void client.invalidateQueries({ queryKey: lastChargesQuery.queryKey })
          }}
        >
          Download · {freeUntil !== undefined || price === 0 ? 'free' : countText(price, 'credit')}
        </button>
        <span role="status">{purchase.isSuccess && <Badge tone="good">saved, SHA-256 checked</Badge>}</span>
      </div>
      {purchase.error !== null && <Problem error={purchase.error} />}
    </>
  )
}
