import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { FIRST_SLOT, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { archivePerps } from '../../service/test/http/snapshots-scene.ts'
import { archiveContexts, contextRow, tapeBookRow } from '../../service/test/http/tape-scene.ts'
import { OPERATIONS } from '../src/generated/operations.ts'
import { type AnswerFacts, Bookreel, BookreelError, type BookreelOptions } from '../src/index.ts'
import { BreakingProxy } from './breaking-proxy.ts'

let service: TestService
let port: number
let past: PastMarket
let id: string

const SLOTS = 700

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  port = (service.server.server.address() as AddressInfo).port
  past = await PastMarket.save(service, 'sdk')
  id = past.market.id
  await past.putRows([...past.rows(0, 299), ...past.rows(340, SLOTS - 1)])
  await past.putGaps([past.gap(300, 339), past.gap(SLOTS, 14_399)])
})

afterAll(() => service?.[Symbol.asyncDispose]())

function clientOf(key: string | undefined, more: Partial<BookreelOptions> & { proxy?: BreakingProxy } = {}): Bookreel {
  return new Bookreel({ baseUrl: `http://127.0.0.1:${more.proxy?.port ?? port}/`, key, ...more })
}

async function errorOf(call: Promise<unknown>): Promise<BookreelError> {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(BookreelError)
  return error as BookreelError
}

const balanceOf = async (client: Bookreel): Promise<number> => (await client.account.validateKey()).creditsRemaining

describe('requests', () => {
  test('public operations need no key; all others require one', async () => {
    const client = clientOf(undefined)
    expect((await client.public.health()).status).toMatch(/ok|degraded/)
    expect(await errorOf(client.markets.live())).toMatchObject({ code: 'unauthenticated', status: 401 })
  })

  test('an error has its code, status, details and request id', async () => {
    const client = clientOf(await service.keyOf('free'))
    const refused = await errorOf(client.markets.live({ limit: 0 }))
    expect(refused).toMatchObject({ code: 'invalid_request', status: 400, name: 'BookreelError' })
    expect(refused.details).toBeDefined()
    expect(refused.requestId).toMatch(/\S/)
    expect((await errorOf(client.markets.orderbook(`0x${'0'.repeat(64)}`))).code).toBe('market_not_found')
  })

  test('an empty id is rejected before a request is sent', async () => {
    const client = clientOf(await service.keyOf('free'))
    await expect(client.markets.orderbook('')).rejects.toThrow('The parameter id is required')
  })

  test('request calls any operation in any of its formats', async () => {
    const client = clientOf(await service.keyOf('scale'))
    const answer = await client.request('list_categories', { format: 'csv' })
    expect(answer.headers.get('content-type')).toContain('text/csv')
    expect((await answer.text()).split('\n')[0]).toContain('captureIntervalMs')
  })
})

describe('pages', () => {
  const range = { from: PAST_HOUR_MS, to: new Date(PAST_HOUR_MS + SLOTS * INTERVAL_MS) }
  const slots = [...Array(SLOTS).keys()].filter((offset) => offset < 300 || offset >= 340)
  const wanted = slots.flatMap((offset) => ['UP', 'DOWN'].map((side) => `${FIRST_SLOT + offset} ${side}`))

  test('delivers every snapshot once, in order, with the fewest pages, at the price of the dry run', async () => {
    const answers: AnswerFacts[] = []
    const client = clientOf(await service.keyOf('pro'), { onAnswer: (facts: AnswerFacts) => answers.push(facts) })
    const plan = await client.snapshots.listDryRun(id, range)
    answers.length = 0
    const got: string[] = []
    for await (const { sequence_number, side } of client.snapshots.all(id, range))
      got.push(`${sequence_number} ${side}`)
    expect(got).toEqual(wanted)
    expect(answers).toHaveLength(Math.ceil(wanted.length / 500))
    expect(answers.reduce((sum, { creditsCost = 0 }) => sum + creditsCost, 0)).toBe(plan.credits)
  })

  test('the only paged operations with a price are the lists of stored books; the dry run of one is compared above', () => {
    const priced = Object.values(OPERATIONS).filter((operation) => operation.isPriced && 'pages' in operation)
    expect(priced.map(({ name }) => name)).toEqual(['list_snapshots', 'list_exchange_snapshots'])
  })

  test('pages contain their gaps', async () => {
    const client = clientOf(await service.keyOf('pro'))
    const gaps = []
    for await (const page of client.snapshots.pages(id, { ...range, limit: 250 })) gaps.push(...page.gaps)
    expect(gaps).toContainEqual(expect.objectContaining({ first_slot: FIRST_SLOT + 300, last_slot: FIRST_SLOT + 339 }))
  })

  test('follows a cursor in a response header', async () => {
    const client = clientOf(await service.keyOf('scale'))
    const [from, to] = [WORLD_NOW_MS - 60_000, WORLD_NOW_MS]
    const seqs: number[] = []
    for await (const row of client.exchange.allSnapshots({ symbol: 'BTC', from, to, limit: 3 }))
      seqs.push(row.sequence_number)
    expect(seqs).toEqual(Array.from({ length: 120 }, (_, index) => from / 500 + index))
  })

  test('reads the list that the path names, not the gaps beside it', async () => {
    const at = Array.from({ length: 5 }, (_, second) => PAST_HOUR_MS + second * 1_000)
    await archivePerps(service, [tapeBookRow('ZEC', PAST_HOUR_MS)])
    await archiveContexts(
      service,
      at.map((atMs) => contextRow('ZEC', atMs)),
    )
    const client = clientOf(await service.keyOf('pro'))
    const rows = client.exchange.allOpenInterest({
      symbol: 'ZEC',
      from: PAST_HOUR_MS,
      to: PAST_HOUR_MS + 5_000,
      limit: 2,
    })
    const seen = (await Array.fromAsync(rows)).map(({ received_at }) => Date.parse(received_at))
    expect(seen).toEqual(at)
  })

  test('leaving the loop requests no further page', async () => {
    let requests = 0
    const client = clientOf(await service.keyOf('pro'), { onAnswer: () => requests++ })
    for await (const _ of client.snapshots.all(id, { ...range, limit: 10 })) break
    expect(requests).toBe(1)
  })
})

describe('credits', () => {
  test('a response that is lost several times is charged once', async () => {
    await using proxy = await BreakingProxy.to(port)
    const key = await service.keyOf('pro', { fresh: true, credits: 1_000 })
    const before = await balanceOf(clientOf(key))
    const client = clientOf(key, { proxy })
    // Headers and a part of the body arrive: the service has charged, the client cannot use the response.
    for (const bytes of [600, 0, 900]) proxy.breakNextAfter(bytes)
    const page = await client.snapshots.list(id, { from: PAST_HOUR_MS, limit: 200 })
    expect(page.snapshots).toHaveLength(200)
    expect(proxy.connections).toBe(4)
    expect(before - (await balanceOf(client))).toBe(10)
  })
})

describe('a file', () => {
  test('is complete after broken connections, verified by its hash, and charged once', async () => {
    await using proxy = await BreakingProxy.to(port)
    const key = await service.keyOf('scale', { fresh: true, credits: 1_000 })
    const client = clientOf(key)
    const report = await client.history.exportHourDryRun(id, { hour: PAST_HOUR_MS })
    const atFirst = await balanceOf(client)
    const whole = await client.history.exportHour(id, { hour: PAST_HOUR_MS })
    const before = await balanceOf(client)
    expect(atFirst - before).toBe(report.credits)
    for (let cuts = 0; cuts < 6; cuts++) proxy.breakNextAfter(2_000)
    const offsets: number[] = []
    const file = await clientOf(key, { proxy }).history.exportHour(
      id,
      { hour: PAST_HOUR_MS },
      { onProgress: ({ offset }) => offsets.push(offset) },
    )
    expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(file.sha256)
    expect(file.bytes).toEqual(whole.bytes)
    expect(offsets.length).toBeGreaterThan(5)
    expect(offsets).toEqual(offsets.toSorted((one, other) => one - other))
    expect(file.name).toMatch(/\.parquet$/)
    expect(await balanceOf(client)).toBe(before)
    expect(report.credits).toBe(2)
  })

  test('only the rest of a partial download is requested', async () => {
    const client = clientOf(await service.keyOf('scale'))
    const { bytes, sha256 } = await client.history.exportHour(id, { hour: PAST_HOUR_MS })
    for (const have of [1_000, bytes.length]) {
      let fetched = 0
      const partial = { bytes: bytes.subarray(0, have), sha256 }
      const file = await client.history.exportHour(
        id,
        { hour: PAST_HOUR_MS },
        { partial, onProgress: ({ chunk }) => (fetched += chunk.length) },
      )
      expect(file.bytes).toEqual(bytes)
      expect(fetched).toBe(bytes.length - have)
    }
  })

  test('a partial download of another version is discarded; damaged bytes are rejected', async () => {
    const client = clientOf(await service.keyOf('scale'))
    const { bytes, sha256 } = await client.history.exportHour(id, { hour: PAST_HOUR_MS })
    const other = { bytes: new Uint8Array(500), sha256: 'ab'.repeat(32) }
    expect((await client.history.exportHour(id, { hour: PAST_HOUR_MS }, { partial: other })).bytes).toEqual(bytes)
    const damaged = { bytes: new Uint8Array(500), sha256 }
    const refused = await errorOf(client.history.exportHour(id, { hour: PAST_HOUR_MS }, { partial: damaged }))
    expect(refused.code).toBe('corrupt_file')
  })
})

describe('failures', () => {
  test('a runtime without WebSocket is told what to do', async () => {
    vi.stubGlobal('WebSocket', undefined)
    try {
      const client = clientOf('any key')
      const request = { selectors: [{ coin: 'BTC', timeframe: '5m' } as const] }
      expect(() => client.stream(request)).toThrow(/Use Node 22 or newer, or pass the one of the package ws/)
      const past = { ...request, from: PAST_HOUR_MS, to: PAST_HOUR_MS + 1 }
      expect(() => client.replay(past)).toThrow(BookreelError)
      expect(await errorOf(client.replayDryRun(past))).toMatchObject({ code: 'no_websocket' })
    } finally {
      vi.unstubAllGlobals()
    }
  })

  test('waits for a rate limit as long as the service says', async () => {
    const client = clientOf(await service.keyOf('free', { fresh: true }))
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 61 }, () => client.account.validateKey()))
    expect(performance.now() - startedAt).toBeGreaterThan(900)
  })

  test('throws after the last retry; an aborted signal ends the wait at once', async () => {
    await using proxy = await BreakingProxy.to(port)
    proxy.isDown = true
    const client = clientOf(await service.keyOf('free'), { retries: 1, proxy })
    expect((await errorOf(client.markets.categories())).code).toBe('network')
    expect(proxy.connections).toBe(2)
    const stop = new AbortController()
    const call = client.markets.categories({ signal: stop.signal, retries: 50 })
    setTimeout(() => stop.abort(new Error('enough')), 50)
    await expect(call).rejects.toThrow('enough')
  })
})
