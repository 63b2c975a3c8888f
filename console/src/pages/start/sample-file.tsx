import { BookreelError, type Sample } from '@bookreel/sdk'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { publicClient } from '../../data/clients.ts'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { CopyButton } from '../../views/copy-button.tsx'
import { saveFile } from '../../views/save-file.ts'
import { Problem } from '../../views/view.tsx'
import { bytesText } from '../../words/formats.ts'
import styles from './start-page.module.css'

/** The Parquet file of a sample, with its hash and a first line of DuckDB and of pandas. */
export function SampleFile({ sample }: { readonly sample: Sample }): ReactNode {
  const { id, bytes, sha256 } = sample
  const name = `${id}.parquet`
  const saving = useMutation({
    mutationFn: async () => {
      const file = await publicClient.public.sampleFile(id)
      if (file.sha256 !== sha256)
        throw new BookreelError('corrupt_file', 'The file is not the one of the list.', { details: { sha256 } })
      saveFile(file.bytes, name)
    },
  })
  return (
    <div className={styles.file}>
      <div className={controls.row}>
        <button type="button" className={controls.primary} disabled={saving.isPending} onClick={() => saving.mutate()}>
          Download the sample · {bytesText(bytes)}
        </button>
        <span role="status">{saving.isSuccess && <Badge tone="good">saved, SHA-256 checked</Badge>}</span>
      </div>
      {saving.error !== null && <Problem error={saving.error} />}
      <dl className={styles.lines}>
        <Line name="SHA-256" text={sha256} />
        <Line name="DuckDB" text={`duckdb -c "SELECT side, count(*), avg(spread) FROM '${name}' GROUP BY side"`} />
        <Line
          name="pandas"
          text={`python3 -c "import pandas; print(pandas.read_parquet('${name}').groupby('side').spread.mean())"`}
        />
      </dl>
    </div>
  )
}

function Line({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} what={name} />
      </dd>
    </div>
  )
}
