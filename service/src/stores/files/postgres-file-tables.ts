import type { ColumnType, Generated } from 'kysely'
import type { FileKind, GapCount } from '../../domain/day-file.ts'

interface FilesTable {
  id: string
  subject: string
  kind: FileKind
  day_at: Date
  revision: number
  venue: string
  category: string
  coin: string
  timeframe: string
  market_ids: string[]
  corrections: number
  row_count: ColumnType<string, number, never>
  byte_count: ColumnType<string, number, never>
  sha256: string
  first_at: Date
  last_at: Date
  gaps: ColumnType<GapCount[], string, never>
  made_at: Generated<Date>
}

interface FileDaysTable {
  day_at: Date
  kinds: number
  finished_at: Generated<Date>
}

interface ManifestKeysTable {
  id: string
  public_key: string
  first_used_at: Generated<Date>
}

interface ManifestsTable {
  number: number
  hour_at: Date
  file_count: number
  root: string
  previous: string
  hash: string
  key_id: string
  signature: string
  sealed_at: Generated<Date>
}

interface ManifestFilesTable {
  file_id: string
  number: number
  leaf_index: number
  leaf: string
}

export interface FileTables {
  files: FilesTable
  file_days: FileDaysTable
  manifest_keys: ManifestKeysTable
  manifests: ManifestsTable
  manifest_files: ManifestFilesTable
}
