import type { ColumnType } from './column-types.ts'
import type { RowReader, RowWriter } from './row-binary.ts'

export interface Column<Row, Value> {
  // biome-ignore lint/suspicious/noExplicitAny: what is written is typed where the column is described.
  readonly type: ColumnType<any, Value>
  readonly select: (row: Row) => unknown
  /** The first schema that has the column. */
  readonly since: number
  /** What rows of older schemas are read with. */
  readonly before: Value | undefined
}

/** How the columns of a `Row` are described. */
export interface Describe<Row> {
  /** A column that every row has had from the beginning. */
  readonly column: <In, Out>(type: ColumnType<In, Out>, select: (row: Row) => In) => Column<Row, Out>
  /** A column that came later: behind all others, in a schema of its own, with a migration that adds it. */
  readonly addedColumn: <In, Out>(
    type: ColumnType<In, Out>,
    select: (row: Row) => In,
    added: { since: number; before: Out },
  ) => Column<Row, Out>
}

// biome-ignore lint/suspicious/noExplicitAny: columns of any value; each is typed where it is described.
export type ColumnsOf<Row> = Readonly<Record<string, Column<Row, any>>>

/** What a row reads as, column by column. */
export type ValuesOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends Column<infer _Row, infer Value> ? Value : never
}

/** Name and ClickHouse type of each column, in the order of the bytes. */
export type ColumnList = readonly (readonly [name: string, sqlType: string])[]

export type AddedColumns = readonly { readonly name: string; readonly sqlType: string; readonly before: unknown }[]

/** Everything that depends on the columns of a table. */
export interface RowSchema<Row> {
  /** The number of the schema that rows are written with. */
  readonly current: number
  readonly columns: ColumnList
  /** Undefined for a schema that is newer than this program. */
  readonly columnsOf: (schema: number) => ColumnList | undefined
  /** The columns that a schema added to the one before it. */
  readonly addedIn: (schema: number) => AddedColumns
  readonly write: (writer: RowWriter, row: Row) => void
  readonly read: (reader: RowReader, schema?: number) => Row
  /** How far from the start of a row the column begins; throws when that depends on the row. */
  readonly offsetOf: (column: string) => number
  /** The position after the row that begins at `at`. */
  readonly end: (view: DataView, at: number, schema?: number) => number
}

/**
 * The one description of a table's rows: DDL, writer, reader and byte offsets follow from it. A schema is never
 * changed once rows were written with it, because such rows may still be on the bus.
 */
export function rowSchemaOf<Row>() {
  return <Columns extends ColumnsOf<Row>>(
    describe: (how: Describe<Row>) => Columns,
    rowOf: (values: ValuesOf<Columns>) => Row,
  ): RowSchema<Row> =>
    schemaOf(
      describe({
        column: (type, select) => ({ type, select, since: 1, before: undefined }),
        addedColumn: (type, select, added) => ({ type, select, ...added }),
      }),
      (values) => rowOf(values as ValuesOf<Columns>),
    )
}

function schemaOf<Row>(
  columns: ColumnsOf<Row>,
  rowOf: (values: Readonly<Record<string, unknown>>) => Row,
): RowSchema<Row> {
  const all = Object.entries(columns).map(([name, each]) => ({ name, ...each }))
  const current = Math.max(...all.map(({ since }) => since))
  const schemas = Array.from({ length: current }, (_, index) => all.filter(({ since }) => since <= index + 1))
  if (all.some(({ since }, index) => since < (all[index - 1]?.since ?? 1)))
    throw new Error('an added column must stand behind all columns of earlier schemas')

  const known = (schema: number): typeof all => {
    const found = schemas[schema - 1]
    if (found === undefined) throw new RangeError(`schema ${schema} is not known; the newest is ${current}`)
    return found
  }
  const listed = schemas.map((each) => each.map(({ name, type }) => [name, type.sql] as const))
  return {
    current,
    columns: listed.at(-1) ?? [],
    columnsOf: (schema) => listed[schema - 1],
    addedIn: (schema) =>
      all
        .filter(({ since }) => since === schema)
        .map(({ name, type, before }) => ({ name, sqlType: type.sql, before: before as unknown })),
    write(writer, row) {
      for (const { type, select } of all) type.write(writer, select(row))
    },
    read(reader, schema = current) {
      const values: Record<string, unknown> = {}
      for (const { name, type } of known(schema)) values[name] = type.read(reader)
      for (const { name, since, before } of all) if (since > schema) values[name] = before
      return rowOf(values)
    },
    offsetOf(name) {
      let offset = 0
      for (const each of all) {
        if (each.name === name) return offset
        if (each.type.bytes === undefined) break
        offset += each.type.bytes
      }
      throw new Error(`column ${name} has no fixed offset`)
    },
    end(view, start, schema = current) {
      let at = start
      for (const { type } of known(schema)) at = type.end(view, at)
      if (at > view.byteLength) throw new RangeError('the row ends in the middle')
      return at
    },
  }
}
