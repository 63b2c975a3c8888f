import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { RowReader } from '@bookreel/service/domain/rows/row-binary'
import { readSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { tokenBookOf } from '@bookreel/service/endpoints/schemas/token-book'
import { NewestRows } from '@bookreel/service/stores/books/newest-rows'
import { RedisConnection } from '@bookreel/service/stores/engines/redis-connection'
import type { BareMarket } from './bare-book-server.ts'

/**
 * Minimal server of live books: Redis is read with the same client, the row decoded by the same code, the same
 * members sent. No key, no limit, no catalogue, no cache. Arguments: the Redis URL and a file of markets.
 */
const [redisUrl = '', marketsFile = ''] = process.argv.slice(2)
const markets = new Map((JSON.parse(readFileSync(marketsFile, 'utf8')) as BareMarket[]).map((each) => [each.id, each]))
const redis = new RedisConnection({ url: redisUrl })
const newestRows = new NewestRows(redis)

const server = createServer((request, response) => {
  answer(request.url?.slice(1) ?? '').then(
    (text) => response.setHeader('content-type', 'application/json; charset=utf-8').end(text),
    (error: Error) => response.writeHead(500).end(error.message),
  )
})

async function answer(id: string): Promise<string> {
  const market = markets.get(id)
  const newest = await newestRows.newestRow(id)
  if (market === undefined || newest === undefined) throw new Error('no book')
  const snapshot = readSnapshot(new RowReader(newest.bytes))
  const up = tokenBookOf(snapshot, market.tokenIds[0], 0, 'hash')
  const down = tokenBookOf(snapshot, market.tokenIds[1], 1, 'hash')
  return JSON.stringify({ ...market.head, age_ms: Math.round(Date.now() - snapshot.capturedAtMs), up, down })
}

while (!redis.isReady) await sleep(10)
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit(0)).once('disconnect', () => process.exit(0))
