import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { lastChargesQuery } from '../../data/download-queries.ts'
import { paidClient } from '../../data/paid-client.ts'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { RowsCsvButton } from '../../views/list-actions.tsx'
import { Panel } from '../../views/page.tsx'
import { saveFile } from '../../views/save-file.ts'
import { type Column, Table } from '../../views/table.tsx'
import { Problem, View } from '../../views/view.tsx'
import { numberText } from '../../words/formats.ts'
import styles from './downloads.module.css'
import { type HeldFile, heldFiles } from './held-files.ts'

const NONE =
  'No file was bought in the last 24 hours. A bought hour can be downloaded again for 24 hours, free of charge.'

export function BoughtFiles(): ReactNode {
  const charges = useQuery({ ...lastChargesQuery, select: (entries) => heldFiles(entries, Date.now()) })
  return (
    <Panel title="Bought in the last 24 hours" note="by all keys of the account">
      <View of={charges} empty={(files) => (files.length === 0 ? NONE : undefined)}>
        {(files) => (
          <>
            <Table caption="Bought files" columns={COLUMNS} rows={files} rowKey={({ path }) => path} />
            <p>
              <RowsCsvButton rows={files} name="bought-files" />
            </p>
          </>
        )}
      </View>
    </Panel>
  )
}

const COLUMNS: readonly Column<HeldFile>[] = [
  { name: 'Market', cell: ({ market }) => <code className={styles.hash}>{market}</code> },
  { name: 'Hour', cell: ({ hour }) => <Instant at={hour} /> },
  { name: 'Credits', isNumber: true, cell: ({ credits }) => numberText(credits) },
  { name: 'Bought', cell: ({ boughtAt }) => <Instant at={boughtAt} /> },
  { name: 'Free again until', cell: ({ until }) => <Instant at={until} /> },
  { name: 'Download', cell: (file) => <Again file={file} /> },
]

function Again({ file: { market, hour, until } }: { readonly file: HeldFile }): ReactNode {
  const client = useQueryClient()
  const [requestId] = useState(() => crypto.randomUUID())
  const again = useMutation({
    mutationFn: async () => {
      const file = await paidClient(requestId).history.exportHour(market, { hour })
      saveFile(file.bytes, file.name ?? `${market}-${hour.slice(0, 13)}Z.parquet`)
      return file.sha256
    },
  })
  return (
    <>
      <button
        type="button"
        className={controls.button}
        disabled={again.isPending}
        onClick={() => {
          // The page may have been open since before it ended; then the list is read again, and nothing is bought.
          if (Date.parse(until) > Date.now()) again.mutate()
          else void client.invalidateQueries({ queryKey: lastChargesQuery.queryKey })
        }}
        aria-label={`Download ${market} ${hour} again, free`}
      >
        Again · free
      </button>
      {again.data !== undefined && <span className={styles.hash}>saved and checked</span>}
      {again.error !== null && <Problem error={again.error} />}
    </>
  )
}
