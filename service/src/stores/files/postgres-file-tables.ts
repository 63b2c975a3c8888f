import type { ColumnType, Generated } from 'kysely'
import type { GapCount } from '../../domain/day-file.ts'

interface FilesTable {
  id: string
  subject: string
  kind: string
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
  finished_at: Generated<Date>
}

export interface FileTables {
  files: FilesTable
  file_days: FileDaysTable
}
