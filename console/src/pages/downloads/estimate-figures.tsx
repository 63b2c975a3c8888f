import type { Estimate } from '@bookreel/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Figures } from '../../views/page.tsx'
import { bytesText, countText, numberText, percentText } from '../../words/formats.ts'
import { causeText } from '../../words/gap-causes.ts'
import styles from './downloads.module.css'

const NOTHING: Readonly<Record<string, string>> = {
  not_recorded_yet: 'These hours are not finished. A file is available five minutes after the end of its hour.',
  gap: 'Nothing was recorded in this time, although it was expected: it is a gap.',
  outside_capture: 'Nothing was recorded in this time. Choose another time, or other markets.',
}

export function EstimateFigures({ of: estimate }: { readonly of: Estimate }): ReactNode {
  const { rows, files, calls, credits, credits_available: available, share, gap_count: gaps, product } = estimate
  return (
    <>
      <Figures
        of={[
          product === 'hours'
            ? { name: 'Files', value: numberText(files), note: `of ${countText(estimate.market_count, 'market')}` }
            : { name: 'Requests', value: numberText(calls), note: `of ${countText(estimate.market_count, 'market')}` },
          { name: 'Rows', value: numberText(rows) },
          ...(product === 'hours' ? [{ name: 'Size', value: `≈ ${bytesText(estimate.approximate_bytes)}` }] : []),
          { name: 'Credits needed', value: numberText(credits), note: 'files bought in the last 24 hours are free' },
          { name: 'Credits you can spend here', value: numberText(available) },
          {
            name: 'Complete',
            value: share === null ? 'nothing expected' : percentText(share * 100),
            note: `${countText(estimate.missing_slots, 'slot')} missing, ${numberText(estimate.suspect_slots)} suspect`,
          },
          { name: 'Gaps', value: numberText(gaps), note: causesText(estimate.causes) },
        ]}
      />
      {rows === 0 && <p role="status">{NOTHING[estimate.empty_reason ?? ''] ?? 'There is nothing to download.'}</p>}
      {estimate.unfinished_hours > 0 && (
        <p className={styles.warning}>
          Not counted: {countText(estimate.unfinished_hours, 'file')} of hours that are not finished. A file is
          available five minutes after the end of its hour.
        </p>
      )}
      {!estimate.is_included && (
        <p className={styles.warning}>
          Your tier does not include these files. <Link to="/pricing">Compare tiers</Link>, or choose snapshots.
        </p>
      )}
    </>
  )
}

/** The most frequent first. */
function causesText(causes: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(causes).toSorted(([, one], [, other]) => other - one)
  return sorted.map(([cause, slots]) => `${causeText(cause).name} ${numberText(slots)}`).join(', ')
}
