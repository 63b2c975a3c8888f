import { text } from 'node:stream/consumers'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runHeartbeat } from '../../src/bus/heartbeat.ts'
import { openBus } from '../../src/wiring/engines.ts'

let service: TestService
let nowMs = WORLD_NOW_MS
let key: string

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen', nowMs: () => nowMs })
  key = await service.keyOf('enterprise')
})

afterAll(() => service?.[Symbol.asyncDispose]())

const statsNow = async () => (await service.ask('/v1/stats', { key })).body
const debugNow = async () => (await service.ask('/api/debug', { key })).body

describe('recorded volumes', () => {
  test('the sum over categories is the total, and counts two tokens for each stored row', async () => {
    const stats = await statsNow()
    expect(stats.categories.map((each: { category: string }) => each.category)).toHaveLength(6)
    const sum = stats.categories.reduce((total: number, each: { snapshots: number }) => total + each.snapshots, 0)
    expect(stats.total_snapshots).toBe(sum)
    expect(stats).toMatchObject({ active_markets: 29, total_markets: 35, exchange: { snapshots_last_5min: 4 * 301 } })
    const [crypto] = stats.categories
    expect(Date.parse(crypto.latest_snapshot)).toBeGreaterThan(Date.parse(crypto.first_snapshot))
  })

  test('the count is that of the rows', async () => {
    const { stream } = await service.stores.clickhouse.exec({
      query: 'SELECT uniqExact(market_id, slot) FROM snapshots FORMAT TSV',
    })
    const stored = Number(await text(stream))
    expect((await statsNow()).total_snapshots).toBe(2 * stored)
    const csv = await service.ask('/v1/stats?format=csv', { key: await service.keyOf('scale') })
    expect(csv.text.split('\n')[0]).toBe('category,markets,active_markets,snapshots,first_snapshot,latest_snapshot')
    expect(csv.headers['x-total-snapshots']).toBe(String(2 * stored))
  })
})

describe('process metrics', () => {
  test('without any process are empty, not an error', async () => {
    expect((await statsNow()).pipeline).toEqual({})
    expect(await debugNow()).toMatchObject({ processes: {}, rates: {}, depths: {}, errors: {} })
  })

  test('counters of two processes are added up by label, rates and depths beside them, without Node metrics', async () => {
    // No row is newer than a minute.
    nowMs += 60_000
    const stop = new AbortController()
    const frames: Counter[] = []
    const running = [1, 2].map((number) => {
      const registry = new Registry()
      collectDefaultMetrics({ register: registry })
      const registers = [registry]
      const problems = { name: 'capture_frame_problems_total', help: 'x', labelNames: ['venue', 'kind'], registers }
      new Counter(problems).inc({ venue: 'polymarket', kind: 'unknown_key' }, number)
      frames.push(new Counter({ name: 'capture_frames_total', help: 'x', labelNames: ['venue'], registers }))
      new Gauge({ name: 'capture_queued_bytes', help: 'x', registers }).set(number * 100)
      const ruleChanged = { name: 'capture_proof_rule_changed', help: 'x', labelNames: ['venue'], registers }
      new Gauge(ruleChanged).set({ venue: 'polymarket' }, number - 1)
      new Histogram({ name: 'capture_ack_seconds', help: 'x', registers }).observe(1)
      const connect = () => openBus(service.config, 'test')
      const deps = { roles: ['capture'], registry, connect, onTrouble: () => {}, everyMs: 100 }
      return runHeartbeat(deps, stop.signal)
    })
    const counting = setInterval(() => frames[0]?.inc({ venue: 'polymarket' }, 10), 10)
    try {
      await vi.waitFor(async () => {
        const { processes, rates } = await debugNow()
        expect(processes).toEqual({ capture: 2 })
        expect(rates.capture_frames_total.polymarket).toBeGreaterThan(100)
      }, 10_000)
      const debug = await debugNow()
      expect(debug.errors).toEqual({ capture_frame_problems_total: { 'polymarket unknown_key': 3 } })
      expect(debug.depths).toEqual({
        capture_queued_bytes: { all: 300 },
        capture_proof_rule_changed: { polymarket: 1 },
      })
      const notices = [
        { code: 'proof_rule_changed', venue: 'polymarket', message: expect.stringContaining('hash-rules.ts') },
      ]
      expect(debug.notices).toEqual(notices)
      expect((await service.ask('/v1/status')).body.notices).toEqual(notices)
      expect((await service.ask('/health')).body.notices).toEqual(notices)
      expect(debug.plans.crypto).toMatchObject({ recorded_now: 0, rows_per_second: 0 })
      const { pipeline } = await statsNow()
      expect(pipeline.capture_frame_problems_total).toBe(3)
      expect(Object.keys(pipeline).toSorted()).toEqual(['capture_frame_problems_total', 'capture_frames_total'])
    } finally {
      clearInterval(counting)
      stop.abort()
      await Promise.all(running)
    }
    expect(service.stores.heartbeats.current(nowMs)).toHaveLength(2)
    expect(service.stores.heartbeats.current(nowMs + 15_001)).toHaveLength(0)
  })

  test('a message that is not a heartbeat is ignored, and the next heartbeat is received', async () => {
    const connection = await openBus(service.config, 'test')
    connection.publish('pulse.capture.x', 'nonsense')
    connection.publish('pulse.capture.x', '{"roles":[1]}')
    const heartbeat = { roles: ['hot'], process: 'x', atMs: nowMs, startedAtMs: 0, metrics: [] }
    connection.publish('pulse.capture.x', JSON.stringify(heartbeat))
    await connection.drain()
    await vi.waitFor(async () => expect((await debugNow()).processes).toMatchObject({ hot: 1 }), 5_000)
  })
})
