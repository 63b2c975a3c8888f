// Nightly: probes a service that is recorded in real time.
// Covers: service/test/prober/ service/src/workers/ service/src/roles/
import { TestService } from '@bookreel/testbed/service/test-service'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Incident } from '../../src/domain/incident.ts'
import { PROBE_EVERY_MS } from '../../src/domain/probe.ts'
import { proberRole } from '../../src/roles/prober-role.ts'
import { ProbeHours } from '../../src/stores/platform/probe-hours.ts'
import { probeApi } from '../../src/workers/probe-api.ts'
import { Prober } from '../../src/workers/prober.ts'

let service: TestService
let address: string
/** Two probers, as when every node runs one. */
let probers: Prober[]
/** The slot of the next probe; the test advances it, and every probe is real. */
let slotMs: number
let store: ProbeHours
const clock = { now: () => slotMs, steady: () => slotMs, sleep: () => Promise.resolve() }

beforeAll(async () => {
  service = await TestService.start({ record: { size: { hot: 4, medium: 4, cold: 8 }, rows: 4 } })
  address = await service.server.listen({ host: '127.0.0.1', port: 0 })
  store = new ProbeHours(service.access.database)
  probers = [1, 2].map(
    () =>
      new Prober({
        probe: (signal) => probeApi(address, signal),
        store: {
          record: (results, nowMs) => store.record(results, nowMs),
          clockMs: () => Promise.resolve(clock.now()),
        },
        clock,
        onWrongClock: (byMs) => expect.fail(`the clock differs by ${byMs} ms`),
        onTrouble: () => {},
      }),
  )
  slotMs = Math.floor(Date.now() / PROBE_EVERY_MS) * PROBE_EVERY_MS
  await untilHealth({ status: 'ok' })
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

async function untilHealth(expected: Record<string, string>): Promise<void> {
  const seen = async () => (await service.ask('/health')).body
  await vi.waitFor(async () => expect(await seen()).toMatchObject(expected), { timeout: 120_000, interval: 100 })
}

/** Runs every prober once in each of the next slots. */
async function pass(slots: number): Promise<void> {
  const { signal } = new AbortController()
  for (let slot = 0; slot < slots; slot++) {
    await Promise.all(
      probers.map(async (prober) => {
        await prober.probe(slotMs, signal)
        await prober.write()
      }),
    )
    slotMs += PROBE_EVERY_MS
  }
}

async function incidentsOf(name: string): Promise<readonly Incident[]> {
  return (await store.uptime(slotMs + PROBE_EVERY_MS)).get(name)?.incidents ?? []
}

test.each([
  ['redis', 'cache'],
  ['clickhouse', 'analytics_store'],
  ['postgres', 'accounts'],
] as const)(
  '%s is killed: within thirty seconds of the first failed probe there is one incident of %s, which ends when it is back',
  async (engine, name) => {
    await pass(4)
    expect(await incidentsOf(name)).toEqual([])
    await service.stack.engine(engine).kill()
    await untilHealth({ [name]: 'down' })
    const goneMs = slotMs
    await pass(4)
    // Without PostgreSQL the prober keeps its results until it is back.
    if (engine !== 'postgres') expect(await incidentsOf(name)).toEqual([{ startedAtMs: goneMs }])
    await service.stack.engine(engine).restart()
    await untilHealth({ status: 'ok' })
    const backMs = slotMs
    await pass(4)
    expect(await incidentsOf(name)).toEqual([{ startedAtMs: goneMs, endedAtMs: backMs }])
  },
  240_000,
)

test('the prober role probes at once, and ends at its signal', async () => {
  const stop = new AbortController()
  const registry = new Registry()
  const config = { ...service.config, PROBE_URL: address }
  const running = proberRole({ config, log: pino({ level: 'silent' }), registry }, stop.signal)
  await vi.waitFor(
    async () => {
      const text = await registry.metrics()
      for (const name of ['api', 'analytics_store', 'cache', 'pipeline', 'accounts'])
        expect(text).toMatch(new RegExp(`prober_probes_total\\{service="${name}",state="ok"\\} [1-9]`))
    },
    { timeout: 120_000 },
  )
  stop.abort()
  await running
  const lost = proberRole(
    { config: { ...service.config, HTTP_PORT: 0 }, log: pino({ level: 'silent' }), registry: new Registry() },
    stop.signal,
  )
  await expect(lost).rejects.toThrow(/PROBE_URL/)
})

test('an API that does not answer is down, and the state of its parts is unknown', async () => {
  expect(await probeApi('http://127.0.0.1:1', new AbortController().signal)).toEqual({ api: 'down' })
  expect(await probeApi(address, new AbortController().signal)).toMatchObject({ api: 'ok', cache: 'ok' })
})
