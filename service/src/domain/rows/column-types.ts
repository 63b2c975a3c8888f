import { lengthAt, lengthBytes, type RowReader, type RowWriter } from './row-binary.ts'

/** A ClickHouse type: its name in DDL, and how a value of it is written to and read from RowBinary. */
export interface ColumnType<In, Out = In> {
  readonly sql: string
  /** Undefined when the number of bytes depends on the value. */
  readonly bytes: number | undefined
  write(writer: RowWriter, value: In): void
  read(reader: RowReader): Out
  /** The position after the value that begins at `at`. */
  end(view: DataView, at: number): number
}

function fixed<Value>(
  sql: string,
  bytes: number,
  write: (writer: RowWriter, value: Value) => void,
  read: (reader: RowReader) => Value,
): ColumnType<Value> & { readonly bytes: number } {
  return { sql, bytes, write, read, end: (_view, at) => at + bytes }
}

function text(sql: string): ColumnType<string> {
  return {
    sql,
    bytes: undefined,
    write: (writer, value) => writer.string(value),
    read: (reader) => reader.string(),
    end(view, at) {
      const length = lengthAt(view, at)
      return at + lengthBytes(length) + length
    },
  }
}

const ID_BYTES = 32

/** `0x` and 64 hex digits. */
export const hexId = fixed<string>(
  `FixedString(${ID_BYTES})`,
  ID_BYTES,
  (writer, value) => writer.hexBytes(value, ID_BYTES),
  (reader) => reader.hexBytes(ID_BYTES),
)
export const uint8 = fixed<number>(
  'UInt8',
  1,
  (writer, value) => writer.uint8(value),
  (reader) => reader.uint8(),
)
export const uint16 = fixed<number>(
  'UInt16',
  2,
  (writer, value) => writer.uint16(value),
  (reader) => reader.uint16(),
)
export const uint32 = fixed<number>(
  'UInt32',
  4,
  (writer, value) => writer.uint32(value),
  (reader) => reader.uint32(),
)
export const uint64 = fixed<number>(
  'UInt64',
  8,
  (writer, value) => writer.uint64(value),
  (reader) => reader.uint64(),
)
/** Milliseconds since 1970; a DateTime64 is an Int64, and none of ours is negative. */
export const instant = { ...uint64, sql: "DateTime64(3, 'UTC')" }
/** USD in units of 10^-18. */
export const usd = fixed<bigint>(
  'Decimal(38, 18)',
  16,
  (writer, value) => writer.uint128(value),
  (reader) => reader.uint128(),
)
/** Units of 10^-18, also negative ones: an Int128. */
export const signedDecimal = fixed<bigint>(
  'Decimal(38, 18)',
  16,
  (writer, value) => writer.uint128(BigInt.asUintN(128, value)),
  (reader) => BigInt.asIntN(128, reader.uint128()),
)
export const string = text('String')
/** For columns with few different values. */
export const lowCardinality = text('LowCardinality(String)')

/** An array with one number of each item. */
export function uint16List<Item>(numberOf: (item: Item) => number): ColumnType<readonly Item[], number[]> {
  return listOf(
    uint16,
    (writer, items) => writer.uint16List(items, numberOf),
    (reader) => reader.uint16List(),
  )
}

export function uint32List<Item>(numberOf: (item: Item) => number): ColumnType<readonly Item[], number[]> {
  return listOf(
    uint32,
    (writer, items) => writer.uint32List(items, numberOf),
    (reader) => reader.uint32List(),
  )
}

export function uint64List<Item>(numberOf: (item: Item) => number): ColumnType<readonly Item[], number[]> {
  return listOf(
    uint64,
    (writer, items) => writer.uint64List(items, numberOf),
    (reader) => reader.uint64List(),
  )
}

function listOf<Item>(
  { sql, bytes }: { readonly sql: string; readonly bytes: number },
  write: (writer: RowWriter, items: readonly Item[]) => void,
  read: (reader: RowReader) => number[],
): ColumnType<readonly Item[], number[]> {
  return {
    sql: `Array(${sql})`,
    bytes: undefined,
    write,
    read,
    end(view, at) {
      const length = lengthAt(view, at)
      return at + lengthBytes(length) + length * bytes
    },
  }
}
