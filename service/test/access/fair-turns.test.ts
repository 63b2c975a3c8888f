import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PATIENT } from '@bookreel/testbed/service/store-limits'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { settingsFor } from '@bookreel/testbed/stacks/test-logins'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { marketParam, readRows } from '../../src/stores/books/read-rows.ts'
import { forCaller } from '../../src/stores/engines/waiting-caller.ts'
import { openClickHouseReader } from '../../src/wiring/engines.ts'
import { openStores } from '../../src/wiring/open-stores.ts'
import { startGatewayNode } from '../gateway/gateway-node.ts'
import { GatewayScene } from '../gateway/gateway-scene.ts'
import { rowsAt, slotNow } from '../gateway/published-rows.ts'

let scene: GatewayScene

beforeAll(async () => {
  scene = await GatewayScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

/**
 * Asks while every read of these tables waits for a lock: first what waits, then others. Returns the statuses of the
 * others, and how many of the first were answered before them.
 */
async function askWhileLocked(
  tables: string,
  { blocked, others }: { blocked: () => Promise<unknown>[]; others: () => Promise<{ status: number }>[] },
) {
  const { database } = scene.access
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE wait_event_type = 'Lock'`.execute(database)
    return rows[0]?.count ?? 0
  }
  let ended = 0
  const [asked, outcome] = await database.transaction().execute(async (transaction) => {
    await sql.raw(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`).execute(transaction)
    const asked = Promise.all(blocked().map((each) => each.finally(() => ended++)))
    await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThanOrEqual(2)
    const statuses = (await Promise.all(others())).map(({ status }) => status)
    return [asked, { statuses, ended }] as const
  })
  await asked
  return outcome
}

test('one key that lists ended markets again and again leaves connections of PostgreSQL to others', async () => {
  const { service } = scene
  const [{ key: greedy }, { key }] = [await scene.key('free'), await scene.key('scale')]
  const outcome = await askWhileLocked('resolved_counts', {
    blocked: () =>
      Array.from({ length: 8 }, (_, offset) =>
        service.ask(`/v1/markets/live?status=expired&limit=1&offset=${offset}`, { key: greedy }),
      ),
    others: () => ['/v1/credits', '/v1/files', '/v1/corrections'].map((path) => service.ask(path, { key })),
  })
  expect(outcome).toEqual({ statuses: [200, 200, 200], ended: 0 })
})

test('requests without a key, from however many addresses, leave connections of PostgreSQL to customers', async () => {
  const { service } = scene
  const { key } = await scene.key('scale')
  const outcome = await askWhileLocked('corrections, manifests', {
    blocked: () =>
      Array.from({ length: 20 }, (_, count) => service.ask(count % 2 === 0 ? '/v1/corrections' : '/v1/manifests')),
    others: () => ['/v1/credits', '/v1/files'].map((path) => service.ask(path, { key })),
  })
  expect(outcome).toEqual({ statuses: [200, 200], ended: 0 })
})

/** A line to ClickHouse on which queries about some markets get no answer. */
async function stallingLine(marketIds: readonly string[]) {
  const { hostname, port } = new URL(scene.config.CLICKHOUSE_URL)
  const words = marketIds.map(marketParam)
  let stalled = 0
  const server = createServer((query, response) => {
    const { url: path, method, headers } = query
    if (words.some((word) => path?.includes(word))) return void stalled++
    const sent = send({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    query.pipe(sent.on('error', () => response.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stalled: () => stalled,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('a client that resumes very many markets does not hold up the catch-up of another', async () => {
  const many = Array.from({ length: 40 }, (_, count) => madeMarket(`many ${count}`))
  const own = madeMarket('own')
  await scene.list(...many, own)
  const from = slotNow(own)
  await scene.storeOnly({ rows: rowsAt(own, from, from + 9) })

  const { access, config: common } = scene
  const { nowMs } = scene.service
  using line = await stallingLine(many.map(({ id }) => id))
  const config = { ...common, CLICKHOUSE_URL: line.url }
  await using stores = openStores(config, access.database, () => {}, PATIENT, nowMs)
  await stores.catalogue.refresh(nowMs())
  const node = await startGatewayNode({ config, access, stores, nowMs, onTrouble: () => {} })
  const [greedy, modest] = [await scene.client(node), await scene.client(node)]
  const selectors = many.map(({ id }) => ({ market: id }))
  await greedy.ask({ op: 'resume', selectors, since: nowMs() - 3_000_000 })
  await expect.poll(line.stalled, { timeout: 60_000 }).toBe(4)
  await modest.ask({ op: 'resume', selectors: [{ market: own.id }], since: { [own.id]: from - 1 } })
  await modest.seq('book', own.id, from + 9)
  expect(line.stalled()).toBe(4)
  await Promise.all([greedy.close(), modest.close()])
  await node.stop()
})

test('an account that reads more than its quota of a minute is refused with what to do, and another reads on', async () => {
  const reader = openClickHouseReader({ ...scene.config, ...settingsFor(scene.stack, 'api') }, PATIENT.clickhouseMs)
  const count = (rows: string) =>
    readRows(reader, (row) => row.uint64(), {
      sql: 'SELECT toUInt64(max(number)) FROM numbers({rows:UInt64})',
      params: { rows },
    })
  // Twice the quota of two minutes, because a minute may end meanwhile.
  await expect(forCaller({ account: 'greedy' }, () => count('8000000000'))).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 60,
    details: { reset_seconds: 60 },
    message:
      'This account has read as much as it may in a minute; callers without a key are one account. Try again in 60 s, or read shorter ranges.',
  })
  expect(await forCaller({ account: 'modest' }, () => count('10'))).toEqual([9])
  reader.close()
})
