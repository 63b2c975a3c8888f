import { inOneSlot, isCluster, type RedisClient } from '../engines/redis-client.ts'
import { RedisScript } from '../engines/redis-script.ts'

export interface SlottedRow {
  readonly schema: number
  readonly slot: number
  readonly bytes: Uint8Array
}

/** A row and the list that it is put on, newest first. */
export interface KeyedRow {
  readonly key: string
  readonly row: SlottedRow
}

export interface NewestRowsRules {
  /** Rows kept on each list. */
  readonly keep: number
  readonly expireAfterMs: number
}

/** A value in Redis: schema u16, slot u64, then the row; both numbers little-endian. */
const HEAD_BYTES = 10

/** Most rows are newer than the first of their list; others are inserted in order, and the first copy of a slot is kept. */
const KEEP_NEWEST = new RedisScript(`
local keep, expireAfterMs = tonumber(ARGV[1]), ARGV[2]
local function slotOf(row) return (struct.unpack('<I8', row, 3)) end
local function settle(key, row)
  local slot, above = slotOf(row), nil
  for _, kept in ipairs(redis.call('LRANGE', key, 0, -1)) do
    local keptSlot = slotOf(kept)
    if keptSlot == slot then return end
    if keptSlot > slot then above = kept end
  end
  redis.call('LINSERT', key, 'AFTER', above, row)
  redis.call('LTRIM', key, 0, keep - 1)
end
for index, key in ipairs(KEYS) do
  local row = ARGV[index + 2]
  local head = redis.call('LINDEX', key, 0)
  if not head or slotOf(row) > slotOf(head) then
    if redis.call('LPUSH', key, row) > keep then redis.call('LTRIM', key, 0, keep - 1) end
    redis.call('PEXPIRE', key, expireAfterMs)
  else
    settle(key, row)
  end
end`)

/** Redis runs nothing else during a script; this many rows take about a millisecond. */
const ROWS_PER_CALL = 256

/** Each row is inserted atomically, so concurrent writers are safe. */
export async function putNewestRows(
  client: RedisClient,
  rows: readonly KeyedRow[],
  rules: NewestRowsRules,
): Promise<void> {
  const calls: Promise<unknown>[] = []
  for (const group of inOneSlot(isCluster(client), rows, ({ key }) => key)) {
    for (let from = 0; from < group.length; from += ROWS_PER_CALL) {
      const part = group.slice(from, from + ROWS_PER_CALL)
      const keys = part.map(({ key }) => key)
      const values = part.map(({ row }) => redisValueOf(row))
      calls.push(KEEP_NEWEST.run(client, keys, [String(rules.keep), String(rules.expireAfterMs), ...values]))
    }
  }
  await Promise.all(calls)
}

/** The row in a value that was read from Redis. */
export function slottedRow(value: Buffer): SlottedRow {
  const slot = value.readUInt32LE(6) * 0x1_0000_0000 + value.readUInt32LE(2)
  return { schema: value.readUInt16LE(0), slot, bytes: value.subarray(HEAD_BYTES) }
}

function redisValueOf({ schema, slot, bytes }: SlottedRow): Buffer {
  const value = Buffer.allocUnsafe(HEAD_BYTES + bytes.length)
  value.writeUInt16LE(schema, 0)
  value.writeUInt32LE(slot % 0x1_0000_0000, 2)
  value.writeUInt32LE(Math.floor(slot / 0x1_0000_0000), 6)
  value.set(bytes, HEAD_BYTES)
  return value
}
