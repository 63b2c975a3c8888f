import type { ReactNode } from 'react'
import { Badge } from '../../views/badge.tsx'
import { Instant } from '../../views/instant.tsx'
import { type Column, Table } from '../../views/table.tsx'
import { bytesText, numberText, percentText, plainText } from '../../words/formats.ts'
import styles from './downloads.module.css'
import { type PlannedFile, priceOf } from './file-plan.ts'
import type { DownloadState } from './use-download.ts'

interface FileTableProps {
  readonly files: readonly PlannedFile[]
  readonly state: DownloadState
  /** Files that were downloaded, before or now. */
  readonly done: number
  readonly nowMs: number
}

type Row = PlannedFile & { readonly place: number }

export function FileTable({ files, state, done, nowMs }: FileTableProps): ReactNode {
  const columns: readonly Column<Row>[] = [
    { name: 'Market', cell: ({ report }) => <bdi>{plainText(report.slug)}</bdi> },
    { name: 'Hour', cell: ({ hourMs }) => <Instant at={new Date(hourMs).toISOString()} /> },
    { name: 'Rows', isNumber: true, cell: ({ report }) => numberText(report.rows) },
    { name: 'Bytes', isNumber: true, cell: ({ report }) => bytesOf(report.bytes) },
    { name: 'Gaps', isNumber: true, cell: ({ report }) => numberText(report.gap_count) },
    {
      name: 'Complete',
      isNumber: true,
      cell: ({ report: { coverage } }) => (coverage.share === null ? '–' : percentText(coverage.share * 100)),
    },
    { name: 'Credits', isNumber: true, cell: (file) => <Price of={file} nowMs={nowMs} /> },
    { name: 'State', cell: ({ place }) => <FileState place={place} state={state} done={done} /> },
  ]
  return (
    <Table
      caption="Files"
      columns={columns}
      rows={files.map((file, place) => ({ ...file, place }))}
      rowKey={({ market, hourMs }) => `${market} ${hourMs}`}
    />
  )
}

function bytesOf(bytes: number | null): string {
  return bytes === null ? '–' : bytesText(bytes)
}

function Price({ of: file, nowMs }: { readonly of: PlannedFile; readonly nowMs: number }): ReactNode {
  const { freeUntil } = file
  const credits = priceOf(file, nowMs)
  if (freeUntil === undefined || credits > 0) return numberText(credits)
  return (
    <>
      0, free until <Instant at={freeUntil} />
    </>
  )
}

function FileState({ place, state, done }: { place: number; state: DownloadState; done: number }): ReactNode {
  const sha256 = state.saved.get(place)
  if (sha256 !== undefined) {
    return (
      <>
        <Badge tone="good">saved and checked</Badge> <code className={styles.hash}>{sha256}</code>
      </>
    )
  }
  if (state.isRunning && state.at === place) return <Badge tone="warn">downloading</Badge>
  return place < done ? <Badge tone="quiet">downloaded before</Badge> : 'waits'
}
