import { BRIEF } from '@bookreel/testbed/service/store-limits'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PROBE_EVERY_MS, probeHourOf } from '../../src/domain/probe.ts'
import { ProbeHours } from '../../src/stores/platform/probe-hours.ts'

let service: TestService
let nowMs = WORLD_NOW_MS

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen', limits: BRIEF, nowMs: () => nowMs })
})

afterAll(() => service?.[Symbol.asyncDispose]())

/** Waits until health shows the state; fails after five seconds, the documented limit. */
async function untilHealth(expected: Record<string, string>): Promise<void> {
  const seen = async () => (await service.ask('/health')).body
  await vi.waitFor(async () => expect(await seen()).toMatchObject(expected), { timeout: 120_000, interval: 100 })
}

describe('public endpoints', () => {
  test('numbers of the whole service, without a key', async () => {
    const { status, body, headers } = await service.ask('/v1/public-stats')
    expect(status).toBe(200)
    expect(body).toMatchObject({ snapshot_count: 57_990, active_markets: 29, prices: { BTC: 83_947.775 } })
    expect(body.exchange).toMatchObject({
      snapshots_last_5min: 4 * 301,
      latest_snapshot: new Date(nowMs).toISOString(),
    })
    expect(headers['cache-control']).toBe('public, max-age=5, s-maxage=5')
  })

  test('ninety days of every service, equal to what the stored probes say: a missing probe is no data', async () => {
    const hourMs = probeHourOf(nowMs - 2 * 86_400_000)
    const store = new ProbeHours(service.access.database)
    const states = ['ok', 'ok', 'down', 'down', 'down', 'degraded', 'ok', 'ok', undefined, undefined, 'down'] as const
    const results = states.flatMap((state, slot) =>
      state === undefined ? [] : [{ service: 'cache' as const, atMs: hourMs + slot * PROBE_EVERY_MS, state }],
    )
    await store.record(results, nowMs)
    await untilHealth({ status: 'ok' })
    const { body } = await service.ask('/v1/status')
    expect(body.services.map((each: { service: string }) => each.service)).toEqual([
      'api',
      'analytics_store',
      'cache',
      'pipeline',
      'websocket',
      'accounts',
    ])
    const [api, , cache] = body.services
    expect(api).toMatchObject({ uptime: null })
    expect(cache.days).toHaveLength(90)
    const { rows } = await sql<{ letters: string }>`SELECT letters FROM probe_hours`.execute(service.access.database)
    const letters = rows.map((row) => row.letters).join('')
    const made = letters.replaceAll('-', '').length
    const failed = letters.replaceAll(/[^d]/g, '').length
    expect([made, failed]).toEqual([9, 4])
    const date = new Date(hourMs).toISOString().slice(0, 10)
    expect(cache.uptime).toBe(Math.floor((1 - failed / made) * 100_000) / 1_000)
    expect(cache.days.find((day: { date: string }) => day.date === date)).toMatchObject({
      state: 'measured',
      uptime: cache.uptime,
      incidents: 1,
      probes: made,
      failed_probes: failed,
    })
    expect(cache.days[86]).toMatchObject({ state: 'no_data', uptime: null, incidents: 0, probes: 0 })
    expect(cache.days[89]).toMatchObject({ state: 'no_data', uptime: null, incidents: 0, probes: 0 })
    const at = (slot: number) => new Date(hourMs + slot * PROBE_EVERY_MS).toISOString()
    expect(body.incidents).toEqual([{ service: 'cache', started_at: at(2), ended_at: at(5) }])

    const feed = await service.ask('/v1/status.atom')
    expect([feed.status, feed.headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    expect(feed.text.match(/<entry>/g)).toHaveLength(1)
    expect(feed.text).toContain(`<updated>${at(5)}</updated>`)
    expect(feed.text).toContain('<title>Live books: works again</title>')
    const known = { headers: { 'if-none-match': feed.headers.etag ?? '' } }
    expect(await service.ask('/v1/status.atom', known)).toMatchObject({ status: 304, text: '' })
  })

  test('the content security policy of the page allows nothing from elsewhere', async () => {
    expect((await service.ask('/docs')).headers.location).toBe('/docs/')
    const page = await service.ask('/docs/')
    const policy = page.headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/=]+'/)
    expect(policy).not.toMatch(/https?:|script-src[^;]*unsafe/)
    expect((await service.ask('/health')).headers['content-security-policy']).not.toContain('sha256')
  })
})

describe('health', () => {
  test('is ok when everything works, with states and nothing else', async () => {
    await untilHealth({ status: 'ok' })
    const { status, body } = await service.ask('/health')
    expect(status).toBe(200)
    expect(body).toEqual({
      checked_at: new Date(nowMs).toISOString(),
      status: 'ok',
      analytics_store: 'ok',
      cache: 'ok',
      pipeline: 'ok',
      websocket: 'ok',
      accounts: 'ok',
      notices: [],
    })
    expect((await service.ask('/health/live')).body).toEqual({ status: 'ok' })
    expect((await service.ask('/health/ready')).body).toEqual({ ready: true, status: 'ok' })
  })

  test('is degraded when history hangs, down when live data hangs too, and never waits', async () => {
    await service.stack.engine('clickhouse').pause()
    await untilHealth({ status: 'degraded', analytics_store: 'down', cache: 'ok' })
    expect((await service.ask('/health')).status).toBe(200)
    await service.stack.engine('redis').pause()
    await untilHealth({ status: 'down', analytics_store: 'down', cache: 'down' })
    const startedAt = performance.now()
    expect((await service.ask('/health')).status).toBe(503)
    expect((await service.ask('/health/ready')).status).toBe(503)
    expect((await service.ask('/health/live')).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    await service.stack.engine('redis').resume()
    await service.stack.engine('clickhouse').resume()
    await untilHealth({ status: 'ok' })
  })

  test('numbers of a moment ago are served while they cannot be counted', async () => {
    expect((await service.ask('/v1/public-stats')).status).toBe(200)
    await service.stack.engine('clickhouse').pause()
    const later = nowMs + 30_000
    const figures = await service.stores.platform.read(later)
    await service.stack.engine('clickhouse').resume()
    expect(figures.madeAtMs).toBeLessThan(later)
    await untilHealth({ status: 'ok' })
  })

  test('shows a stopped recorder by its missing rows', async () => {
    nowMs += 60_000
    await untilHealth({ status: 'degraded', pipeline: 'degraded', cache: 'ok' })
  })
})

test('shared caches may keep public answers, but not those in a format that needs a key', async () => {
  const controlOf = async (path: string, key?: string) => (await service.ask(path, { key })).headers['cache-control']
  expect(await controlOf('/v1/payments/packs')).toBe('public, max-age=300, s-maxage=300')
  expect(await controlOf('/v1/status')).toBe('public, max-age=10, s-maxage=10')
  const key = await service.keyOf('enterprise')
  expect(await controlOf('/v1/status?format=csv', key)).toBe('private, max-age=10')
})
