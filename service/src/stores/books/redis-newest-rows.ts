import { createHash } from 'node:crypto'
import { ErrorReply } from '@redis/client'
import type { RedisClient } from '../engines/redis-connection.ts'

/** A list to put a row on, newest first. */
export interface KeyedRow {
  readonly key: string
  readonly bytes: Uint8Array
}

export interface NewestRowsRules {
  /** Rows kept on each list. */
  readonly keep: number
  readonly expireAfterMs: number
  /** Where in the row its slot stands, as a UInt64. */
  readonly slotOffset: number
}

/**
 * The slot is read from the row itself, so what decides is what is kept. Nearly every row is newer than the
 * head of its list; the others find their place, and a slot that is there already keeps its first copy.
 */
const KEEP_NEWEST = `
local keep, expireAfterMs, at = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]) + 1
local function slotOf(row) return (struct.unpack('<I8', row, at)) end
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
  local row = ARGV[index + 3]
  local head = redis.call('LINDEX', key, 0)
  if not head or slotOf(row) > slotOf(head) then
    if redis.call('LPUSH', key, row) > keep then redis.call('LTRIM', key, 0, keep - 1) end
    redis.call('PEXPIRE', key, expireAfterMs)
  else
    settle(key, row)
  end
end`
const KEEP_NEWEST_SHA = createHash('sha1').update(KEEP_NEWEST).digest('hex')

/** A script runs alone; this many rows keep the others waiting for about a millisecond. */
const ROWS_PER_CALL = 256

/** Sends all at once; each row is settled by itself, whoever else writes at the same time. */
export async function putNewestRows(
  client: RedisClient,
  rows: readonly KeyedRow[],
  rules: NewestRowsRules,
): Promise<void> {
  const calls: Promise<void>[] = []
  for (let from = 0; from < rows.length; from += ROWS_PER_CALL) {
    calls.push(runScript(client, rows.slice(from, from + ROWS_PER_CALL), rules))
  }
  await Promise.all(calls)
}

async function runScript(client: RedisClient, rows: readonly KeyedRow[], rules: NewestRowsRules): Promise<void> {
  const operands = [
    String(rows.length),
    ...rows.map(({ key }) => key),
    String(rules.keep),
    String(rules.expireAfterMs),
    String(rules.slotOffset),
    ...rows.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  ]
  try {
    await client.sendCommand(['EVALSHA', KEEP_NEWEST_SHA, ...operands])
  } catch (error) {
    // A server that was restarted has forgotten its scripts.
    if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error
    await client.sendCommand(['EVAL', KEEP_NEWEST, ...operands])
  }
}
