import { addedColumns, columnsOf, ROW_TABLES, type RowTable } from '../../domain/rows/row-table.ts'

/** How the tables are distributed over servers. The same migrations serve all forms. */
export type ClickHouseForm =
  | { kind: 'single' }
  /** A local table on every shard, and a distributed table with the plain name. */
  | { kind: 'sharded'; cluster: string }
  /** As `sharded`, with replicas; statements run ON CLUSTER. */
  | { kind: 'replicated'; cluster: string }

/** The statements of a migration for a form. */
export function statementsFor(form: ClickHouseForm, template: string): string[] {
  return template
    .replace(/^--.*$/gm, '')
    .replace(/\{\{(\w+) ?([^}]*)\}\}/g, (_, placeholder: string, rest: string) => fill(form, placeholder, rest))
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

/** The table that stores the rows; with a single server it has the plain name. */
export function localTable(form: ClickHouseForm, table: string): string {
  return form.kind === 'single' ? table : `${table}_local`
}

export function onCluster(form: ClickHouseForm): string {
  return form.kind === 'replicated' ? `ON CLUSTER ${form.cluster}` : ''
}

function fill(form: ClickHouseForm, placeholder: string, rest: string): string {
  switch (placeholder) {
    case 'local':
      return localTable(form, rest)
    case 'on':
      return onCluster(form)
    case 'columns':
      return columnLines(rest)
    case 'add':
      return addColumns(form, rest)
    case 'engine':
      return engine(form, rest)
    case 'distributed':
      return distributed(form, rest)
    case 'settings':
      return SETTINGS
    default:
      throw new Error(`a migration has an unknown placeholder: ${placeholder}`)
  }
}

/**
 * An insert is fsynced before it is acknowledged. Small granules: a query for one slot reads a thousand rows.
 * Blocks of 256 KiB compress better, because ladders repeat from row to row. Blocks of 1 MiB would save 7 % more disk
 * space, and a query for one slot would take twice as long.
 */
const SETTINGS =
  'index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, min_compress_block_size = 262144'

function engine(form: ClickHouseForm, rest: string): string {
  const [name, ...versions] = rest.split(' ')
  if (form.kind !== 'replicated') return `${name}(${versions.join(', ')})`
  const place = ["'/clickhouse/tables/{shard}/{database}/{table}'", "'{replica}'"]
  return `Replicated${name}(${[...place, ...versions].join(', ')})`
}

function distributed(form: ClickHouseForm, rest: string): string {
  if (form.kind === 'single') return ''
  const [table = '', ...key] = rest.split(' ')
  const local = localTable(form, table)
  return `CREATE TABLE IF NOT EXISTS ${table} ${onCluster(form)} AS ${local}
ENGINE = Distributed('${form.cluster}', currentDatabase(), ${local}, ${key.join(' ')})`
}

function columnLines(rest: string): string {
  const { table, schema } = schemaNamed(rest)
  const columns = columnsOf(table, schema) ?? []
  return columns.map(([column, type]) => `${column} ${type} CODEC(${codecFor(column, type)})`).join(',\n    ')
}

/** `{{add columns snapshots 2}}`: adds the columns of schema 2 to the local and the distributed table. */
function addColumns(form: ClickHouseForm, rest: string): string {
  const { table, schema } = schemaNamed(rest.replace(/^columns /, ''))
  const tables = form.kind === 'single' ? [table] : [localTable(form, table), table]
  const columns = addedColumns(table, schema).map(
    ({ name, sqlType, before }) => `ADD COLUMN IF NOT EXISTS ${name} ${sqlType} DEFAULT ${literal(before)}`,
  )
  return tables.map((each) => `ALTER TABLE ${each} ${onCluster(form)} ${columns.join(', ')}`).join(';\n')
}

/** Parses `snapshots 2`. */
function schemaNamed(text: string): { table: RowTable; schema: number } {
  const [name, schema] = text.split(' ')
  const table = ROW_TABLES.find((each) => each === name)
  if (table === undefined || columnsOf(table, Number(schema)) === undefined)
    throw new Error(`a migration names an unknown schema: ${text}`)
  return { table, schema: Number(schema) }
}

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return JSON.stringify(value)
}

/** Times and slots increase steadily. Ladders repeat, and a transformation would hide the repeats from ZSTD. */
function codecFor(column: string, type: string): string {
  if (type.startsWith('Array')) return 'ZSTD(3)'
  if (type.startsWith('DateTime64') || /(^|_)slot$/.test(column)) return 'Delta(8), ZSTD(1)'
  return 'ZSTD(1)'
}
