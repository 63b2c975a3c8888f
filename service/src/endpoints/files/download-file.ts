import { z } from 'zod'
import { dayText } from '../../domain/day-file.ts'
import { CATEGORIES } from '../../domain/market.ts'
import { creditsOfRows } from '../../domain/prices.ts'
import { objectKeyOf } from '../../stores/files/files.ts'
import { endpoint } from '../endpoint.ts'
import { FileEntry, FileParams, fileEntryOf, findFile } from './file-entry.ts'

const PARQUET = 'application/vnd.apache.parquet'

const Query = z.object({
  part: z
    .enum(['file', 'about'])
    .default('file')
    .describe('file: the Parquet file. about: its entry as JSON, free of charge'),
})

export const downloadFile = endpoint({
  method: 'GET',
  path: '/v1/files/{id}',
  name: 'download_file',
  group: 'Files',
  summary: 'Download the file of a day',
  description:
    'Supports `Range`, `If-Range` and `If-None-Match`, so that programs such as DuckDB can read only the columns they need; `ETag` and `X-Sha256` contain the hash of the whole file. The first download or range costs the `credits` of the file; afterwards the account reads the whole file and all later revisions free of charge, at any time. The columns are those of the list of the same data, such as the snapshots list for books, ordered by market and slot or time. Needs the scale or enterprise tier, except for `part=about`.',
  access: { by: 'key', scope: 'history' },
  params: FileParams,
  query: Query,
  reply: FileEntry,
  errors: ['file_not_found', 'out_of_credits', 'range_not_satisfiable'],

  async file(request) {
    const { params, query, stores, nowMs, callerContext } = request
    if (query.part === 'about') return undefined
    request.require('tabular_formats')
    const file = await findFile(stores, params.id)
    const category = CATEGORIES.find((each) => each === file.category)
    if (category !== undefined) request.require({ category })
    request.require({ historyAgeMs: nowMs - file.dayMs })
    const credits = creditsOfRows(file.rows)
    // Without the revision: who has bought a file gets its corrections.
    const heldAs = `file:${file.subject}:${dayText(file.dayMs)}`
    await callerContext?.requireCredits(credits, heldAs, nowMs)
    const { id, sha256, revision, bytes } = file
    return {
      file: {
        name: `${id}.parquet`,
        sha256,
        revision,
        type: PARQUET,
        bytes,
        open: (part) => stores.fileObjects.open(objectKeyOf(file), part),
      },
      heldAs,
      freeIfBoughtBeforeMs: nowMs,
      credits,
      aside: { venue: file.venue, rowCount: file.rows, revision },
    }
  },

  async handle({ params, stores }) {
    return { body: fileEntryOf(await findFile(stores, params.id)) }
  },
})
