import { FIRST_SLOT, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BookFrame, Bookreel, Replay, ReplayRequest, StreamEvent } from '../src/index.ts'
import { readUntil, runBot, StreamScene } from './stream-scene.ts'

const SLOTS = 6_000
/** Offsets of the missing slots. */
const MISSING = { from: 700, to: 739 }

let scene: StreamScene
let client: Bookreel
let market: string
let request: ReplayRequest

beforeAll(async () => {
  scene = await StreamScene.open({ world: 'frozen' })
  client = await scene.client()
  const past = await PastMarket.save(scene.service, 'sdk replay')
  market = past.market.id
  await past.putRows([...past.rows(0, MISSING.from - 1), ...past.rows(MISSING.to + 1, SLOTS - 1)])
  await past.putGaps([past.gap(MISSING.from, MISSING.to)])
  request = { selectors: [{ market }], from: PAST_HOUR_MS, to: PAST_HOUR_MS + SLOTS * INTERVAL_MS, speed: 'max' }
})

afterAll(() => scene?.[Symbol.asyncDispose]())

const booksOf = (events: readonly StreamEvent[]): BookFrame[] =>
  events.filter((event): event is BookFrame => event.type === 'snapshot')
const offsetsOf = (events: readonly StreamEvent[]): number[] => booksOf(events).map(({ seq }) => seq - FIRST_SLOT)

const expected = [...Array(SLOTS).keys()].filter((offset) => offset < MISSING.from || offset > MISSING.to)
const momentOf = (offset: number): number => PAST_HOUR_MS + offset * INTERVAL_MS

describe('a replay', () => {
  test('delivers exactly the recorded slots, at the price of the dry run', async () => {
    const plan = await client.replayDryRun(request)
    const rows = 2 * expected.length
    expect(plan).toMatchObject({ rows, credits: Math.ceil(rows / 1_000), markets: 1 })
    const replay = client.replay(request)
    const events = await readUntil(replay, () => false)
    expect(offsetsOf(events)).toEqual(expected)
    expect(events.filter(({ type }) => type === 'gap')).toMatchObject([
      {
        from_seq: FIRST_SLOT + MISSING.from,
        to_seq: FIRST_SLOT + MISSING.to,
        kind: 'missing',
        cause: 'disconnected',
      },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'replay_ended', reason: 'complete', credits: plan.credits })
    expect(await replay.plan).toEqual(plan)
  })

  test('waits for a slow reader and skips nothing', async () => {
    const replay = client.replay(request)
    let hasPaused = false
    const events = await readUntil(replay, async (event) => {
      if (hasPaused || event.type !== 'snapshot') return
      hasPaused = true
      await new Promise((resolve) => setTimeout(resolve, 1_500))
    })
    expect(offsetsOf(events)).toEqual(expected)
  })

  test('resumes after broken connections', async () => {
    const replay = client.replay(request)
    let breaks = 0
    const events = await readUntil(replay, (event) => {
      if (event.type === 'snapshot' && event.seq - FIRST_SLOT >= 2_000 * (breaks + 1)) {
        breaks++
        scene.proxy.breakAll()
      }
    })
    expect(events.filter(({ type }) => type === 'reconnected').length).toBeGreaterThan(1)
    expect(offsetsOf(events)).toEqual(expected)
    expect(events.filter(({ type }) => type === 'gap')).toHaveLength(1)
  })

  test('seeks backwards and forwards, also after a reconnect', async () => {
    const replay = client.replay({ ...request, speed: 20 })
    const jumps: ((replay: Replay) => void)[] = [
      () => replay.seek(momentOf(3_000)),
      () => scene.proxy.breakAll(),
      () => replay.seek(new Date(momentOf(100))),
      () => replay.stop(),
    ]
    let frames = 0
    const events = await readUntil(replay, (event) => {
      if (event.type === 'reconnected') frames = 0
      if (event.type !== 'snapshot' || ++frames < 5) return
      frames = 0
      jumps.shift()?.(replay)
    })
    const offsets = offsetsOf(events)
    const runs = offsets.filter((offset, index) => offset !== (offsets[index - 1] ?? -2) + 1)
    expect(runs).toEqual([0, 3_000, 100])
    expect(events.at(-1)).toMatchObject({ type: 'replay_ended', reason: 'stopped' })
    expect(() => replay.seek(0)).toThrow(RangeError)
  })

  test('delivers nothing while it is paused', async () => {
    const replay = client.replay({ ...request, speed: 10 })
    let pausedAt = 0
    let resumedAt = 0
    const arrivedAt: number[] = []
    const events = await readUntil(replay, (event, all) => {
      if (event.type !== 'snapshot') return false
      arrivedAt.push(performance.now())
      if (pausedAt === 0) {
        replay.pause()
        pausedAt = performance.now()
        setTimeout(() => {
          resumedAt = performance.now()
          replay.resume()
        }, 1_000)
      }
      return resumedAt > 0 && all.length > 30
    })
    const frames = booksOf(events)
    const pauses = arrivedAt.map((atMs, index) => atMs - (arrivedAt[index - 1] ?? atMs))
    expect(Math.max(...pauses)).toBeGreaterThan(700)
    expect(offsetsOf(events)).toEqual(expected.slice(0, frames.length))
  })

  test('the example bot gives the same result for every run of the same replay', async () => {
    const time = (ms: number): string => new Date(ms).toISOString()
    const options = [
      '--market',
      market,
      '--replay',
      `${time(PAST_HOUR_MS)}..${time(momentOf(2_000))}`,
      '--edge',
      '0.01',
    ]
    const run = async (): Promise<string> => (await runBot(scene, options)).stdout
    const [first, again] = [await run(), await run()]
    expect(first).toBe(again)
    // Five shares at 0.42 and the rest at 0.43, the next level.
    expect(first).toContain('buys  12.5 UP at 0.4260')
    expect(first).toContain('sells 12.5 UP')
    expect(first).toContain(
      `gap in ${market.slice(0, 10)}: slots ${FIRST_SLOT + MISSING.from} to ${FIRST_SLOT + MISSING.to}`,
    )
    expect(first).toMatch(/1960 books, \d+ fills, 1 doubts, result -?[\d.]+ USD/)
  })

  test('throws when credits run out, and for an unknown market', async () => {
    const almostOutOfCredits = scene.clientOf((await scene.keyWith(3)).key)
    await expect(readUntil(almostOutOfCredits.replay(request), () => false)).rejects.toMatchObject({
      code: 'out_of_credits',
    })
    const unknown = { ...request, selectors: [{ market: `0x${'0'.repeat(64)}` }] }
    await expect(readUntil(client.replay(unknown), () => false)).rejects.toMatchObject({ code: 'market_not_found' })
    await expect(client.replayDryRun(unknown)).rejects.toMatchObject({ code: 'market_not_found' })
  })
})
