import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { csvOfRows } from '../data/csv-of-rows.ts'
import { csvOf } from '../data/csv-pages.ts'
import { limitsQuery } from '../data/download-queries.ts'
import { useSession } from '../data/session.ts'
import controls from './controls.module.css'
import { saveFile } from './save-file.ts'
import { Problem } from './view.tsx'

interface PagedQuery {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

/** Below a list that has more rows than it shows. */
export function ShowMore({ of: query, what }: { readonly of: PagedQuery; readonly what: string }): ReactNode {
  if (!query.hasNextPage) return null
  return (
    <div className={controls.row}>
      <button
        type="button"
        className={controls.button}
        disabled={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Show more {what}
      </button>
    </div>
  )
}

interface CsvButtonProps {
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Name of the file without its ending. */
  readonly name: string
}

/** All rows of a list as a file, for tiers that include csv. */
export function CsvButton({ path, query, name }: CsvButtonProps): ReactNode {
  return <SaveButton name={name} csv={() => csvOf(path, query)} />
}

interface RowsCsvButtonProps extends Pick<CsvButtonProps, 'name'> {
  /** All rows of the list. */
  readonly rows: readonly object[]
}

/** The same for a list that the page has as a whole. */
export function RowsCsvButton({ rows, name }: RowsCsvButtonProps): ReactNode {
  return <SaveButton name={name} csv={async () => csvOfRows(rows)} />
}

interface SaveButtonProps extends Pick<CsvButtonProps, 'name'> {
  readonly csv: () => Promise<string>
}

/** Visitors have no tier, so they have no button. */
function SaveButton({ name, csv }: SaveButtonProps): ReactNode {
  const isSignedIn = useSession()?.state === 'in'
  const limits = useQuery({ ...limitsQuery, enabled: isSignedIn })
  const saving = useMutation({ mutationFn: async () => saveFile(await csv(), `${name}.csv`) })
  const formats: readonly string[] = limits.data?.formats ?? []
  if (limits.data === undefined) return null
  if (!formats.includes('csv')) return <span className={controls.hint}>csv: not in your tier</span>
  return (
    <>
      <button
        type="button"
        className={controls.plain}
        disabled={saving.isPending}
        onClick={() => saving.mutate()}
        aria-label={`Save ${name} as csv`}
      >
        Save as csv
      </button>
      {saving.error !== null && <Problem error={saving.error} />}
    </>
  )
}
