import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { applyDelta, bookOf, type WireBook } from './applied-book.ts'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { gapAt, rowAt, rowsAt, slotNow, tradeAt } from './published-rows.ts'
import { type AnyFrame, StreamClient } from './stream-client.ts'

let scene: GatewayScene
let node: Node
const [first, second, third, fourth] = ['one', 'two', 'three', 'four'].map((name) => madeMarket(`past ${name}`)) as [
  ReturnType<typeof madeMarket>,
  ReturnType<typeof madeMarket>,
  ReturnType<typeof madeMarket>,
  ReturnType<typeof madeMarket>,
]

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
  await scene.list(first, second, third, fourth)
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

/** Waits until the archive has stored what was published. */
async function untilStored(market: { id: string }, slot: number): Promise<void> {
  await vi.waitUntil(
    async () => {
      const days = await scene.stores.marketDays.days(market.id)
      return days.some(({ lastSlot }) => lastSlot >= slot)
    },
    { timeout: 120_000, interval: 100 },
  )
}

async function firstStoredSlot(market: { id: string }): Promise<number> {
  const days = await scene.stores.marketDays.days(market.id)
  return Math.min(...days.map(({ firstSlot }) => firstSlot))
}

const seqs = (frames: readonly AnyFrame[]): number[] => frames.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('a resumed subscription', () => {
  test('gets missed frames from memory, then continues live', async () => {
    const from = slotNow(first)
    const stays = await scene.client(node)
    await stays.ask({ op: 'subscribe', selectors: [{ market: first.id }] })
    await scene.publish({ rows: [rowAt(first, from)] })
    for (const slot of [1, 2, 3]) await scene.publish({ rows: [rowAt(first, from + slot)] })
    await scene.publish({ gaps: [gapAt(first, from + 4, from + 5)], rows: [rowAt(first, from + 6)] })
    await stays.seq('book', first.id, from + 6)
    const back = await scene.client(node)
    const selectors = [{ market: first.id }]
    const ack = await back.ask({ op: 'resume', selectors, since: { [first.id]: from + 1 }, options: { mode: 'delta' } })
    expect(ack).toMatchObject({ type: 'ack', op: 'resume', rejected: [] })
    await back.seq('book', first.id, from + 6)
    await scene.publish({ rows: [rowAt(first, from + 7)] })
    await back.seq('book', first.id, from + 7)
    expect(
      back
        .of('book')
        .map(({ type, seq, from_seq: gapFrom, to_seq: gapTo }) => `${type} ${seq ?? `${gapFrom}-${gapTo}`}`),
    ).toEqual([
      `snapshot ${from + 2}`,
      `delta ${from + 3}`,
      `gap ${from + 4}-${from + 5}`,
      `delta ${from + 6}`,
      `delta ${from + 7}`,
    ])
    for (const each of [stays, back]) each.expectOnlyFrames()
    await Promise.all([stays.close(), back.close()])
  })

  test('joins stored and live rows without a hole, whatever the gateway still has in memory', async () => {
    const from = slotNow(second) - 600
    const old = await scene.startNode()
    const before = await scene.client(old)
    await before.ask({ op: 'subscribe', selectors: [{ market: second.id }], channels: ['book', 'trade'] })
    await scene.publish({ rows: [rowAt(second, from)] })
    await scene.publish({ rows: [rowAt(second, from + 1)], trades: [tradeAt(second, (from + 1) * 250 - 5, 1)] })
    await before.seq('book', second.id, from + 1)
    // The node may have joined the shard a moment after the first row was published.
    const firstSent = before.of('book')[0]?.seq ?? 0
    await old.stop()
    await before.untilClosed()
    for (let slot = from + 2; slot < from + 900; slot += 3) {
      const trades = slot % 4 === 0 ? [tradeAt(second, slot * 250 - 10, slot)] : []
      if (slot === from + 302) await scene.publish({ gaps: [gapAt(second, slot, slot + 2, { cause: 'venue_silent' })] })
      else await scene.publish({ rows: rowsAt(second, slot, slot), trades })
      if (slot !== from + 302) await scene.publish({ rows: [rowAt(second, slot + 1)] })
      if (slot !== from + 302) await scene.publish({ rows: [rowAt(second, slot + 2)] })
    }
    const young = await scene.startNode()
    const after = await scene.client(young)
    const since = { [second.id]: from + 1 }
    await after.ask({ op: 'resume', selectors: [{ market: second.id }], channels: ['book', 'trade'], since })
    // New rows arrive while stored rows are still being sent, and the archive is behind.
    for (let slot = from + 902; slot < from + 960; slot++) await scene.publish({ rows: [rowAt(second, slot)] })
    await scene.publish({ rows: [rowAt(second, from + 960)], trades: [tradeAt(second, (from + 960) * 250 - 3, 5)] })
    await after.seq('book', second.id, from + 960)
    const frames = [...before.of('book'), ...after.of('book')]
    const hole = upTo(from + 302, from + 304)
    expect(firstSent).toBeGreaterThanOrEqual(from)
    expect(seqs(frames)).toEqual(upTo(firstSent, from + 960).filter((seq) => !hole.includes(seq)))
    expect(frames.filter(({ type }) => type === 'gap')).toMatchObject([
      { from_seq: from + 302, to_seq: from + 304, cause: 'venue_silent' },
    ])
    const sentTrades = upTo(from + 2, from + 899).filter(
      (slot) => (slot - from - 2) % 3 === 0 && slot % 4 === 0 && slot !== from + 302,
    )
    await vi.waitUntil(() => after.of('trade').length >= sentTrades.length + 1, { timeout: 120_000, interval: 50 })
    expect(
      after
        .of('trade')
        .map(({ transaction_hash: hash }) => Number(hash))
        .sort((one, other) => one - other),
    ).toEqual([5, ...sentTrades])
    after.expectOnlyFrames()
    await after.close()
    await young.stop()
  })

  test('is told to use a replay after more than an hour', async () => {
    const client = await scene.client(node)
    const ack = await client.ask({
      op: 'resume',
      selectors: [{ market: first.id }],
      since: scene.service.nowMs() - 3_700_000,
    })
    expect(ack.rejected).toMatchObject([{ reason: 'too_old' }])
    expect(ack.rejected[0].message).toContain('replay')
    await client.close()
  })
})

describe('a replay', () => {
  const from = slotNow(third)
  const range = { from: from * 250, to: (from + 60) * 250 }
  const selectors = [{ market: third.id }, { market: fourth.id }]
  const channels = ['book', 'bbo', 'trade']

  test('has the frames of the live stream, field by field except the sending time', async () => {
    const live = await scene.client(node)
    const options = { depth: 4, mode: 'delta' }
    await live.ask({ op: 'subscribe', selectors, channels, options })
    for (let slot = from; slot < from + 60; slot++) {
      const rows = [rowAt(fourth, slot)]
      const gaps = []
      if (slot >= from + 20 && slot < from + 25) gaps.push(gapAt(third, from + 20, slot, { cause: 'hash_mismatch' }))
      else rows.push(rowAt(third, slot))
      if (slot === from + 20)
        gaps.push(gapAt(third, from + 17, from + 19, { kind: 'suspect', cause: 'hash_mismatch', knownAtSlot: slot }))
      const trades = slot % 6 === 0 ? [tradeAt(third, slot * 250 - 20, slot)] : []
      await scene.publish({ rows, gaps, trades: slot === from ? [] : trades })
    }
    await live.seq('book', fourth.id, from + 59)
    await live.seq('book', third.id, from + 59)
    await untilStored(third, from + 59)
    await untilStored(fourth, from + 59)
    const past = await scene.client(node)
    const ack = await past.ask({ op: 'replay', selectors, channels, options, speed: 'max', ...range })
    const ended = await past.until(({ type }) => type === 'replay_ended')
    const tradeCount = live.of('trade').length
    const rows = (60 + 55) * 2 + tradeCount
    expect(ack.replay).toEqual({ ...range, rows, credits: 1, markets: 2 })
    expect(ended).toEqual({ type: 'replay_ended', reason: 'complete', at: range.to, rows, credits: 1 })
    for (const { id } of [third, fourth]) {
      for (const channel of channels) expect(unsent(past.of(channel, id))).toEqual(unsent(live.of(channel, id)))
    }
    expect(past.of('book', third.id).filter(({ type }) => type === 'gap')).toHaveLength(2)
    // In the order of time, over both markets.
    const order = past
      .of('book')
      .filter(({ seq }) => seq !== undefined)
      .map(({ seq }) => seq)
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    for (const each of [live, past]) each.expectOnlyFrames()
    await Promise.all([live.close(), past.close()])
  })

  test.each([100, 3_000])('of a market with %i ms has the frames of its live stream', async (intervalMs) => {
    const market = madeMarket(`past ${intervalMs}`, { captureIntervalMs: intervalMs })
    await scene.list(market)
    const begin = slotNow(market)
    const live = await scene.client(node)
    await live.ask({ op: 'subscribe', selectors: [{ market: market.id }] })
    await scene.publish({ rows: rowsAt(market, begin, begin + 9) })
    await scene.publish({ gaps: [gapAt(market, begin + 10, begin + 12)], rows: rowsAt(market, begin + 13, begin + 19) })
    await live.seq('book', market.id, begin + 19)
    await untilStored(market, begin + 19)
    const past = await scene.client(node)
    const times = { from: begin * intervalMs, to: (begin + 20) * intervalMs }
    const ack = await past.ask({ op: 'replay', selectors: [{ market: market.id }], speed: 'max', ...times })
    await past.until(({ type }) => type === 'replay_ended')
    expect(ack.replay).toMatchObject({ rows: 34, credits: 1 })
    expect(seqs(live.of('book'))).toEqual([...upTo(begin, begin + 9), ...upTo(begin + 13, begin + 19)])
    expect(live.of('book').filter(({ type }) => type === 'gap')).toMatchObject([
      { from_seq: begin + 10, to_seq: begin + 12 },
    ])
    expect(unsent(past.of('book'))).toEqual(unsent(live.of('book')))
    await Promise.all([live.close(), past.close()])
  })

  test('costs what was estimated, never more than the balance, and an estimate is free', async () => {
    const { key, accountId } = await scene.key('enterprise', { credits: 0 })
    const before = (await scene.access.ledger.spendable(accountId))?.balance ?? 0
    await scene.access.ledger.grant({ accountId, credits: 1 - before, kind: 'adjustment', idem: 'one' })
    const client = await StreamClient.open(`${node.url}/v1/stream`, key)
    const asked = {
      op: 'replay',
      selectors: [{ market: second.id }],
      // Rows are read for ten minutes at once: the first part has only 100 slots.
      from: ((await firstStoredSlot(second)) + 100) * 250 - 600_000,
      to: scene.service.nowMs(),
      speed: 'max',
    }
    const dry = await client.ask({ ...asked, dry_run: true })
    expect(dry.replay.credits).toBe(Math.ceil(dry.replay.rows / 1_000))
    expect(dry.replay.credits).toBeGreaterThan(1)
    expect((await scene.access.ledger.spendable(accountId))?.balance).toBe(1)
    await client.ask(asked)
    const ended = await client.until(({ type }) => type === 'replay_ended')
    expect(ended).toMatchObject({ reason: 'out_of_credits', rows: 1_000, credits: 1 })
    expect(seqs(client.of('book'))).toHaveLength(500)
    expect((await scene.access.ledger.spendable(accountId))?.balance).toBe(0)
    const usageOfReplays = async () => {
      const days = await scene.stores.usage.byDay(accountId, {
        fromDay: '2000-01-01',
        toDay: '9999-12-31',
        keyId: undefined,
      })
      return days
        .filter(({ endpoint }) => endpoint === 'stream_replay')
        .map(({ calls, credits }) => ({ calls, credits }))
    }
    await expect.poll(usageOfReplays).toEqual([{ calls: 1, credits: 1 }])
    client.expectOnlyFrames()
    await client.close()
  })

  test('counts rows without reading books, and seeks are limited per account', async () => {
    const client = await scene.client(node)
    const reads = [vi.spyOn(scene.stores.perps, 'range'), vi.spyOn(scene.stores.perps, 'count')] as const
    const nowMs = scene.service.nowMs()
    const perp = { op: 'replay', selectors: [{ symbol: 'BTC' }], from: nowMs - 3_600_000, to: nowMs }
    expect(await client.ask({ ...perp, dry_run: true })).toMatchObject({ type: 'ack', replay: { rows: 0 } })
    expect(reads.map(({ mock }) => mock.calls.length)).toEqual([0, 1])
    for (const each of reads) each.mockRestore()
    await client.ask({ op: 'replay', selectors: [{ market: fourth.id }], ...range, speed: 1 })
    await client.ask({ op: 'replay.pause' })
    const answers = []
    for (let count = 0; count < 25; count++)
      answers.push(await client.ask({ op: 'replay.seek', to: (from + 40) * 250 }))
    expect(answers.slice(0, 20).every(({ type }) => type === 'ack')).toBe(true)
    expect(answers.at(-1)).toMatchObject({ type: 'error', code: 'rate_limited' })
    expect(answers.at(-1).message).toContain('seek 60 times per minute')
    await client.close()
  })

  test('can be paused, accelerated, moved and stopped', async () => {
    const client = await scene.client(node)
    const asked = { op: 'replay', selectors: [{ market: fourth.id }], options: { mode: 'delta' }, ...range }
    await client.ask({ ...asked, speed: 2 })
    await client.seq('book', fourth.id, from + 3)
    expect(await client.ask({ op: 'subscribe', selectors })).toMatchObject({ type: 'error', code: 'busy' })
    const paused = await client.ask({ op: 'replay.pause' })
    const count = client.of('book').length
    expect(paused.at).toBe(client.of('book').at(-1).seq * 250)
    await client.ask({ op: 'replay.seek', to: (from + 40) * 250 })
    expect(client.of('book')).toHaveLength(count)
    expect((await client.ask({ op: 'replay.seek', to: range.to })).code).toBe('invalid_request')
    await client.ask({ op: 'replay.speed', speed: 'max' })
    await client.ask({ op: 'replay.resume' })
    expect(await client.until(({ type }) => type === 'replay_ended')).toMatchObject({ reason: 'complete' })
    const sought = client.of('book').slice(count)
    expect(seqs(sought)).toEqual(upTo(from + 40, from + 59))
    expect(sought[0]).toMatchObject({ type: 'snapshot', prev_seq: null })
    let book: WireBook | undefined
    for (const frame of sought) book = frame.type === 'snapshot' ? bookOf(frame) : applyDelta(book, frame)
    const { up } = rowAt(fourth, from + 59)
    expect(book?.[0]).toEqual(up.bids.map(({ price, size }) => [price / 10_000, size / 1_000_000]))

    await client.ask({ ...asked, speed: 1 })
    await client.ask({ op: 'replay.stop' })
    await vi.waitUntil(() => client.frames.filter(({ type }) => type === 'replay_ended').length === 2, {
      timeout: 120_000,
    })
    expect(client.frames.filter(({ type }) => type === 'replay_ended')[1]).toMatchObject({ reason: 'stopped' })
    expect((await client.ask({ op: 'subscribe', selectors })).accepted).toHaveLength(2)
    client.expectOnlyFrames()
    await client.close()
  })

  describe('that is moved back', () => {
    const made = ['five', 'six', 'seven', 'eight'].map((name) => madeMarket(`past ${name}`))
    /** 60 s of rows, two hours of nothing, in which a replay waits, and 30 s of rows. */
    const start = slotNow(third) - 40_000
    const [pause, after, end] = [start + 240, start + 29_040, start + 29_160]
    const sought = { from: start * 250, to: end * 250 }

    beforeAll(async () => {
      await scene.list(...made)
      const rows = made.flatMap((market) => [...rowsAt(market, start, pause - 1), ...rowsAt(market, after, end - 1)])
      const trades = [1, 2, 3].map((number) => tradeAt(made[0] as (typeof made)[0], (start + 200) * 250, number))
      await scene.storeOnly({ rows, trades })
    })

    async function untilPause(client: StreamClient, markets: typeof made): Promise<void> {
      for (const { id } of markets) await client.seq('book', id, pause - 1)
    }

    test('charges each row once', async () => {
      const { key, accountId } = await scene.key('enterprise', { credits: 0 })
      const balance = async () => (await scene.access.ledger.spendable(accountId))?.balance ?? 0
      const before = await balance()
      const client = await StreamClient.open(`${node.url}/v1/stream`, key)
      const of = { selectors: made.map(({ id }) => ({ market: id })), channels: ['book', 'trade'] }
      const { replay: plan } = await client.ask({ op: 'replay', ...of, ...sought, speed: 60 })
      await untilPause(client, made)
      expect(await balance()).toBe(before - 2)
      await client.ask({ op: 'replay.seek', to: (start + 120) * 250 })
      await client.ask({ op: 'replay.speed', speed: 'max' })
      const ended = await client.until(({ type }) => type === 'replay_ended')
      const rows = 4 * 360 * 2 + 3
      expect(plan).toMatchObject({ rows, credits: 3 })
      expect(ended).toEqual({ type: 'replay_ended', reason: 'complete', at: sought.to, rows, credits: 3 })
      expect(await balance()).toBe(before - 3)
      for (const { id } of made) {
        expect(seqs(client.of('book', id))).toEqual([
          ...upTo(start, pause - 1),
          ...upTo(start + 120, pause - 1),
          ...upTo(after, end - 1),
        ])
      }
      expect(client.of('trade')).toHaveLength(6)
      client.expectOnlyFrames()
      await client.close()
    })

    test('sends charged rows again without credits, and stops at the first row that it can not charge', async () => {
      const { key, accountId } = await scene.key('enterprise', { credits: 0 })
      const spendable = async () => (await scene.access.ledger.spendable(accountId))?.balance ?? 0
      await scene.access.ledger.grant({ accountId, credits: 1 - (await spendable()), kind: 'adjustment', idem: 'one' })
      const client = await StreamClient.open(`${node.url}/v1/stream`, key)
      const two = made.slice(0, 2)
      await client.ask({ op: 'replay', selectors: two.map(({ id }) => ({ market: id })), ...sought, speed: 60 })
      await untilPause(client, two)
      expect(await spendable()).toBe(0)
      await client.ask({ op: 'replay.seek', to: sought.from })
      await client.ask({ op: 'replay.speed', speed: 'max' })
      const ended = await client.until(({ type }) => type === 'replay_ended')
      expect(ended).toMatchObject({ reason: 'out_of_credits', rows: 1_000, credits: 1 })
      expect(seqs(client.of('book'))).toHaveLength(480 + 480 + 20)
      await client.close()
    })
  })

  test('needs a key with history and a range in the past', async () => {
    const { key } = await scene.key('enterprise', { scopes: ['stream'] })
    const live = await StreamClient.open(`${node.url}/v1/stream`, key)
    expect(await live.ask({ op: 'replay', selectors, ...range })).toMatchObject({ code: 'scope_not_allowed' })
    await live.close()
    const client = await scene.client(node)
    const wrong = { ...range, to: range.from }
    for (const dry_run of [true, false]) {
      const refused = await client.ask({ op: 'replay', selectors, ...wrong, dry_run })
      expect(refused).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^from must be before to/),
      })
    }
    const nowMs = scene.service.nowMs()
    const future = { from: nowMs + 60_000, to: nowMs + 120_000 }
    const early = await client.ask({ op: 'replay', selectors, ...future })
    expect(early.message).toMatch(/^from must be in the past/)
    expect(await client.ask({ op: 'replay.pause' })).toMatchObject({ code: 'invalid_request' })
    await client.close()
  })
})

function unsent(frames: readonly AnyFrame[]): AnyFrame[] {
  return frames.map(({ sent_at: _sent, ...frame }) => frame)
}
