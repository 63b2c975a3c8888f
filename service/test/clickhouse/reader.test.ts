import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClickHouseReader, type ClickHouseReaderOptions } from '../../src/stores/engines/clickhouse-reader.ts'
import { forCaller } from '../../src/stores/engines/waiting-caller.ts'

let stack: Stack
let reader: ClickHouseReader
beforeAll(async () => {
  stack = await borrowStack({ engines: ['clickhouse'] })
  reader = readerOf(stack.variable('CLICKHOUSE_URL'))
})
afterAll(async () => {
  reader.close()
  await stack.stop()
})

function readerOf(url: string, changes: Partial<ClickHouseReaderOptions> = {}): ClickHouseReader {
  return new ClickHouseReader({
    url,
    username: stack.variable('CLICKHOUSE_USER'),
    password: stack.variable('CLICKHOUSE_PASSWORD'),
    database: 'default',
    settings: { max_execution_time: 5 },
    answerWithinMs: 5_000,
    ...changes,
  })
}

async function answer(from: ClickHouseReader, query: string, params: Record<string, unknown> = {}): Promise<string> {
  const { stream } = await from.exec({ query, query_params: params, clickhouse_settings: { wait_end_of_query: 1 } })
  return text(stream)
}

/** A proxy before ClickHouse that cuts connections, also in the middle of a query. */
async function unreliableProxy(cutAnswers: number) {
  const target = new URL(stack.variable('CLICKHOUSE_URL'))
  let queries = 0
  let [open, mostOpen] = [0, 0]
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    mostOpen = Math.max(mostOpen, ++open)
    near.on('close', () => open--)
    const far = connect(Number(target.port), target.hostname)
    for (const each of [near, far]) sockets.add(each.on('error', () => {}))
    near.on('data', (piece) => {
      queries++
      if (queries <= cutAnswers) near.resetAndDestroy()
      else far.write(piece)
    })
    far.on('data', (piece) => near.write(piece))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    get queries() {
      return queries
    },
    get mostOpen() {
      return mostOpen
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('any bound text or list of texts arrives unchanged', async () => {
  const anyText = fc.string({ unit: fc.constantFrom(...Array.from('\\\'"\t\n\r\0`{}%&=+#?/é漢😀ab ')), maxLength: 12 })
  const sql =
    "SELECT hex({one:String}), arrayStringConcat(arrayMap(x -> hex(x), {all:Array(String)}), ',') FORMAT TSVRaw"
  await fc.assert(
    fc.asyncProperty(anyText, fc.array(anyText, { minLength: 1, maxLength: 4 }), async (one, all) => {
      const hex = (word: string): string => Buffer.from(word).toString('hex').toUpperCase()
      expect(await answer(reader, sql, { one, all })).toBe(`${hex(one)}\t${all.map(hex).join(',')}\n`)
    }),
    { numRuns: 150 },
  )
})

test('numbers keep every digit, and a lone surrogate is replaced', async () => {
  const params = { big: 18_446_744_073_709_551_615n, list: [1, 2.5, -3], odd: 'a\ud800b' }
  const sql = 'SELECT {big:UInt64}, {list:Array(Float64)}, {odd:String} FORMAT TSVRaw'
  expect(await answer(reader, sql, params)).toBe('18446744073709551615\t[1,2.5,-3]\ta\ufffdb\n')
})

test('a value that is neither number, text nor list is refused', async () => {
  await expect(answer(reader, 'SELECT {odd:String} FORMAT TSV', { odd: new Date(0) })).rejects.toThrow(
    /type object cannot be/,
  )
})

test('a server error carries its ClickHouse code', async () => {
  await expect(answer(reader, 'SELECT nonsense FORMAT TSV')).rejects.toMatchObject({ code: '47' })
})

test('a query is retried when the connection breaks once, and fails when it breaks twice', async () => {
  const once = await unreliableProxy(1)
  const patient = readerOf(once.url)
  expect(await answer(patient, 'SELECT 7 FORMAT TSV')).toBe('7\n')
  expect(once.queries).toBe(2)
  const twice = await unreliableProxy(2)
  const disappointed = readerOf(twice.url)
  await expect(answer(disappointed, 'SELECT 7 FORMAT TSV')).rejects.toMatchObject({ code: 'ECONNRESET' })
  for (const each of [patient, disappointed]) each.close()
  for (const each of [once, twice]) each.close()
})

test('at most ten queries run at once, and four of an account; the others wait', async () => {
  const line = await unreliableProxy(0)
  const busy = readerOf(line.url)
  const answersOf = (account: string) =>
    forCaller({ account }, () => Array.from({ length: 20 }, () => answer(busy, 'SELECT sleep(0.02) FORMAT TSV')))
  const zeros = Array.from({ length: 20 }, () => '0\n')
  expect(await Promise.all(answersOf('one'))).toEqual(zeros)
  expect(line.mostOpen).toBe(4)
  expect(await Promise.all(['one', 'two', 'three'].flatMap(answersOf))).toEqual([...zeros, ...zeros, ...zeros])
  expect(line.mostOpen).toBe(10)
  busy.close()
  line.close()
})

test('a query that nobody waits for any more gives its place back when ClickHouse has stopped it, and not before', async () => {
  const settings = { readonly: 2, cancel_http_readonly_queries_on_client_close: 1 }
  const limits = { places: 1, placesOfAccount: 1, waiting: 1, waitingOfAccount: 1 }
  const single = readerOf(stack.variable('CLICKHOUSE_URL'), { settings, limits, answerWithinMs: 600_000 })
  const running = `SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(sleepEachRow(1))%' FORMAT TSV`
  const caller = new AbortController()
  const sleeping = forCaller({ signal: caller.signal }, () =>
    answer(single, 'SELECT sum(sleepEachRow(1)) FROM numbers(500) SETTINGS max_block_size = 1 FORMAT TSV'),
  )
  sleeping.catch(() => {})
  await expect.poll(() => answer(reader, running), { timeout: 60_000 }).toBe('1\n')
  const next = answer(single, running)
  caller.abort(new Error('the caller left'))
  await expect(sleeping).rejects.toThrow('the caller left')
  expect(await next).toBe('0\n')
  single.close()
})

test('a query to a silent server times out', async () => {
  const mute = createServer(() => {})
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const address = mute.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const impatient = readerOf(`http://127.0.0.1:${port}`, { answerWithinMs: 200 })
  await expect(answer(impatient, 'SELECT 1 FORMAT TSV')).rejects.toThrow(/did not answer/)
  impatient.close()
  mute.close()
})
