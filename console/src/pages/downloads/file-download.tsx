import type { Estimate } from '@bookreel/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { accountClient } from '../../data/clients.ts'
import { lastChargesQuery } from '../../data/download-queries.ts'
import controls from '../../views/controls.module.css'
import { useNow } from '../../views/use-now.ts'
import { Problem } from '../../views/view.tsx'
import { countText, numberText } from '../../words/formats.ts'
import { creditsText } from '../../words/moment-texts.ts'
import styles from './downloads.module.css'
import type { Selection } from './downloads-search.ts'
import { type FilePlan, MAX_FILES, planFiles, priceOf } from './file-plan.ts'
import { FileTable } from './file-table.tsx'
import { heldFiles } from './held-files.ts'
import { useDownload } from './use-download.ts'

interface FileDownloadProps {
  readonly selection: Selection
  readonly estimate: Estimate
}

const PLAN_MS = 60_000

/** First the list of files with the price of each, free of charge; then the download. */
export function FileDownload({ selection, estimate }: FileDownloadProps): ReactNode {
  const client = useQueryClient()
  const plan = useMutation({
    mutationFn: async () => {
      const charges = await client.fetchQuery({ ...lastChargesQuery, staleTime: 0 })
      return planFiles(accountClient, selection, heldFiles(charges, Date.now()), AbortSignal.timeout(PLAN_MS))
    },
  })
  if (estimate.files === 0 || !estimate.is_included) return null
  if (estimate.files > MAX_FILES) {
    return (
      <p className={styles.warning}>
        A browser downloads up to {MAX_FILES} files at a time. Choose a shorter time, or use the command below.
      </p>
    )
  }
  return (
    <>
      {plan.data === undefined && (
        <div className={controls.row}>
          <button type="button" className={controls.primary} disabled={plan.isPending} onClick={() => plan.mutate()}>
            {plan.isPending ? 'Looking at each file …' : `List ${countText(estimate.files, 'file')}`}
          </button>
          <span className={controls.hint}>Free of charge. You see each file and the price before you pay.</span>
        </div>
      )}
      {plan.error !== null && <Problem error={plan.error} />}
      {plan.data !== undefined && <PlannedDownload plan={plan.data} available={estimate.credits_available} />}
    </>
  )
}

interface PlannedDownloadProps {
  readonly plan: FilePlan
  readonly available: number
}

function PlannedDownload({ plan, available }: PlannedDownloadProps): ReactNode {
  const { files, refused } = plan
  const search = useSearch({ from: '/downloads' })
  const navigate = useNavigate()
  const { state, start, stop } = useDownload()
  // A file that was bought before is free for a time only.
  const nowMs = useNow()
  const done = Math.min(search.done ?? 0, files.length)
  const isOver = done === files.length && files.length > 0
  const first = isOver ? 0 : done
  const credits = files
    .slice(first)
    .reduce((sum, file, index) => sum + (state.saved.has(first + index) ? 0 : priceOf(file, nowMs)), 0)
  const missing = credits - available
  const onSaved = (count: number): void =>
    void navigate({ to: '/downloads', search: { ...search, done: count }, replace: true })
  return (
    <>
      {refused.map(({ market, hourMs, error }) => (
        <p key={`${market} ${hourMs}`} className={styles.warning}>
          {error.message}
        </p>
      ))}
      {missing > 0 && !state.isRunning && (
        <p className={styles.warning} role="alert">
          {countText(missing, 'credit')} missing: the files cost {numberText(credits)}, and you can spend{' '}
          {numberText(available)} here. <Link to="/billing">Buy credits</Link>, or change the{' '}
          <Link to="/account">limit of this console</Link>.
        </p>
      )}
      <div className={controls.row}>
        {state.isRunning ? (
          <button type="button" className={controls.button} onClick={stop}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            className={controls.primary}
            disabled={missing > 0 || files.length === 0}
            onClick={() => start(files, first, onSaved)}
          >
            {buttonText(files.length, done, credits)}
          </button>
        )}
        <span role="status" className={controls.hint}>
          {stateText(state.isRunning, done, files.length, state.creditsCharged, state.saved.size)}
        </span>
      </div>
      {state.isRunning && (
        <progress
          className={styles.progress}
          max={state.totalBytes ?? 1}
          value={state.totalBytes === undefined ? undefined : state.receivedBytes}
          aria-label={`File ${state.at + 1} of ${files.length}`}
        />
      )}
      {state.error !== undefined && <Problem error={state.error} />}
      {state.isNoLongerFree && (
        <p className={styles.warning} role="alert">
          The download stopped before a file that is no longer free. Nothing was charged for it. The button shows the
          new price.
        </p>
      )}
      <FileTable files={files} state={state} done={done} nowMs={nowMs} />
    </>
  )
}

function buttonText(files: number, done: number, credits: number): string {
  const price = creditsText(credits)
  if (done === files && files > 0) return `Download ${countText(files, 'file')} again · ${price}`
  if (done > 0) return `Continue with ${countText(files - done, 'file')} · ${price}`
  return `Download ${countText(files, 'file')} · ${price}`
}

function stateText(isRunning: boolean, done: number, files: number, charged: number, saved: number): string {
  if (isRunning) return `File ${Math.min(done + 1, files)} of ${files}. Each is checked against its SHA-256.`
  if (saved === 0) return done > 0 ? `${done} of ${files} were downloaded before.` : ''
  const price = charged === 0 ? 'Nothing was charged.' : `Charged ${creditsText(charged)}.`
  return `${saved} of ${files} saved and checked. ${price}`
}
