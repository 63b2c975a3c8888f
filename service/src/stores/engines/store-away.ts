import { ClickHouseError } from '@clickhouse/client'
import { DatabaseError } from 'pg'
import { RedisUnavailable } from './redis-connection.ts'

/** Error codes of ClickHouse that are temporary. */
const CLICKHOUSE_TEMPORARY: ReadonlySet<string> = new Set([
  '159', // TIMEOUT_EXCEEDED
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '241', // MEMORY_LIMIT_EXCEEDED
  '242', // TABLE_IS_READ_ONLY
  '279', // ALL_CONNECTION_TRIES_FAILED
  '394', // QUERY_WAS_CANCELLED
])
const BROKEN_CONNECTION = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR)/
const BROKEN_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|timeout error|socket hang up|not queryable/i

/** Whether a store is temporarily unavailable; false when the query itself is wrong. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof RedisUnavailable) return true
  if (error instanceof ClickHouseError) return CLICKHOUSE_TEMPORARY.has(error.code)
  if (error instanceof DatabaseError) return /^(08|53|57)/.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return BROKEN_CONNECTION.test(code) || BROKEN_MESSAGE.test(error.message) || isStoreAway(error.cause)
}
