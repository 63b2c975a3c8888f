import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { random } from '@bookreel/simulator/world/random'
import { sql } from 'kysely'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { HttpClient } from '../http-client.ts'
import { ListeningProcess } from '../listening-process.ts'
import { PreparedEngines } from '../prepared-engines.ts'
import { ServiceProcess } from '../service-process.ts'
import { BusyMachine } from '../status/busy-machine.ts'
import { recompute, type StoredHour } from '../status/recomputed-uptime.ts'

const SLOT_MS = 10_000
/** A step this large places the clock of the prober into other slots; PostgreSQL's clock then shows that it is wrong. */
const LARGE_STEP_MS = [30_000, 7_200_000] as const
/** The prober stores probes while its clock differs by at most a slot. */
const SMALL_STEP_MS = [500, 6_000] as const
const STEP_LASTS_MS = [15_000, 45_000] as const
const OUTAGE_MS = 60_000
/** For reading results on a busy machine. */
const PATIENT_MS = 60_000

interface Status {
  readonly services: readonly {
    readonly service: string
    readonly uptime: number | null
    readonly days: readonly { readonly probes: number; readonly failed_probes: number; readonly incidents: number }[]
  }[]
  readonly incidents: readonly { readonly service: string; readonly started_at: string }[]
}

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

interface Course {
  readonly steps: (Span & { readonly byMs: number })[]
  readonly outages: Span[]
}

export const status = experiment({
  name: 'status',
  summary:
    'Checks that the public status shows no false incident on a busy machine whose clock is set again and again.',
  options: {
    minutes: { description: 'duration in minutes', default: 30, atLeast: 0.5 },
    busy: { description: 'number of processes that keep the machine busy', default: 4, atLeast: 0 },
    steps: { description: 'number of steps of the prober clock, each undone after a while', default: 12, atLeast: 0 },
    outages: { description: 'number of times that Redis is stopped for a minute', default: 1, atLeast: 0 },
    missing: { description: 'slots that may have no probe while the clock was right', default: 0, atLeast: 0 },
    seed: { description: 'seed of the steps', default: 'bookreel' },
  },
  async run({ minutes, busy, steps, outages, missing, seed }, progress) {
    progress('starting the engines, the API and the prober')
    await using engines = await PreparedEngines.start()
    const { environment, folder } = engines
    using client = new HttpClient(4)
    await using api = await ListeningProcess.start('api', environment, folder)
    await api.untilOpen(client)
    const settings = { ...environment, PROBE_URL: `http://127.0.0.1:${api.port}` }
    const preload = import.meta.resolve('@bookreel/testbed/stepped-clock')
    await using prober = await ServiceProcess.start('prober', settings, folder, { preload })
    await using _machine = new BusyMachine(busy)
    const database = openDatabase({ url: engines.config.DATABASE_URL, answerWithinMs: PATIENT_MS })
    await using _connections = { [Symbol.asyncDispose]: () => database.destroy() }
    const readHours = async (): Promise<StoredHour[]> => {
      const { rows } = await sql<{ service: string; hour_at: Date; letters: string }>`
        SELECT service, hour_at, letters FROM probe_hours`.execute(database)
      return rows.map(({ service, hour_at, letters }) => ({ service, hourMs: hour_at.getTime(), letters }))
    }
    for (let tries = 0; tries < 1_200 && (await readHours()).length === 0; tries++) await sleep(100)
    const startMs = Date.now()
    const course = await runCourse({ engines, prober, minutes, steps, outages, seed }, progress)
    // The last slot is judged one slot after its end, and the status may be some seconds old.
    await sleep(2 * SLOT_MS + 6_000)
    const untilMs = Date.now()
    const reply = await client.ask({ port: api.port, path: '/v1/status' })
    const shown = JSON.parse(reply.body.toString()) as Status
    const hours = await readHours()
    const byService = Map.groupBy(hours, ({ service }) => service)
    const judgedMs = Math.floor((untilMs - SLOT_MS) / SLOT_MS) * SLOT_MS
    const differing = shown.services.filter(({ service, uptime, days }) => {
      // The status was computed at most six seconds before, so it may know one slot less.
      const hoursOf = byService.get(service) ?? []
      return ![judgedMs, judgedMs - SLOT_MS].some((limitMs) => {
        const found = recompute(hoursOf, limitMs)
        const sum = (name: 'probes' | 'failed_probes') => days.reduce((total, day) => total + day[name], 0)
        const listed = shown.incidents.filter((each) => each.service === service).length
        return (
          found.uptime === uptime &&
          found.probes === sum('probes') &&
          found.failed === sum('failed_probes') &&
          found.incidents.length === listed
        )
      })
    })
    const isTrue = (startedAt: string) =>
      course.outages.some((span) => within(Date.parse(startedAt), span, 3 * SLOT_MS))
    const falseIncidents = shown.incidents.filter(({ started_at }) => !isTrue(started_at))
    const unseen = course.outages.filter(
      (span) =>
        !shown.incidents.some(
          ({ service, started_at }) => service === 'cache' && within(Date.parse(started_at), span, 3 * SLOT_MS),
        ),
    )
    const apiLetters = lettersOf(byService.get('api') ?? [])
    const slots = Array.from(
      { length: Math.floor((untilMs - SLOT_MS - startMs) / SLOT_MS) },
      (_, index) => Math.ceil(startMs / SLOT_MS) * SLOT_MS + index * SLOT_MS,
    )
    const isClockWrong = (slotMs: number) => course.steps.some((span) => within(slotMs, span, 2 * SLOT_MS))
    const skipped = slots.filter((slotMs) => !isClockWrong(slotMs) && !apiLetters.has(slotMs))
    const invented = [...apiLetters.keys()].filter(
      (slotMs) => slotMs < startMs - 6 * SLOT_MS || slotMs > untilMs + SLOT_MS,
    )
    const failed = [...apiLetters.values()].filter((letter) => letter === 'd').length
    return {
      bounds: [
        bound('false incidents', falseIncidents.length, '<=', 0),
        bound('outages without an incident', unseen.length, '<=', 0),
        bound('services whose uptime or incidents differ from the stored probes', differing.length, '<=', 0),
        bound('slots without a probe while the clock was right', skipped.length, '<=', missing),
        bound('probes in slots in which nobody probed', invented.length, '<=', 0),
        bound('probed slots', apiLetters.size, '>=', 1),
      ],
      series: { steps: course.steps, outages: course.outages, incidents: shown.incidents, skipped, hours },
      notes: [
        `${apiLetters.size} of ${slots.length} slots have a probe of the API, ${failed} of them failed; ${slots.filter(isClockWrong).length} slots were near a wrong clock`,
        ...shown.services.map(
          ({ service, uptime }) => `  ${service.padEnd(16)} ${uptime === null ? 'no data' : `${uptime} %`}`,
        ),
      ],
    }
  },
})

async function runCourse(
  {
    engines,
    prober,
    minutes,
    steps,
    outages,
    seed,
  }: {
    engines: PreparedEngines
    prober: ServiceProcess
    minutes: number
    steps: number
    outages: number
    seed: string
  },
  progress: Progress,
): Promise<Course> {
  const draw = random(seed, 'status')
  const course: Course = { steps: [], outages: [] }
  const endMs = Date.now() + minutes * 60_000
  const events = [
    ...Array.from({ length: steps }, () => 'step' as const),
    ...Array.from({ length: outages }, () => 'outage' as const),
  ]
  const pauseMs = (minutes * 60_000) / (events.length + 1)
  for (const [index, event] of events.entries()) {
    progress(`${index + 1} of ${events.length}: ${event}`)
    const fromMs = Date.now()
    if (event === 'step') {
      const [least, most] = index % 2 === 0 ? LARGE_STEP_MS : SMALL_STEP_MS
      const size = draw.whole(least, most)
      const byMs = index % 4 < 2 ? size : -size
      prober.send({ wallAheadMs: byMs })
      await sleep(Math.min(draw.whole(...STEP_LASTS_MS), pauseMs))
      prober.send({ wallAheadMs: 0 })
      course.steps.push({ fromMs, toMs: Date.now(), byMs })
    } else {
      const redis = engines.engine('redis')
      await redis.kill()
      await sleep(OUTAGE_MS)
      await redis.restart()
      course.outages.push({ fromMs, toMs: Date.now() })
    }
    await sleep(Math.max(0, fromMs + pauseMs - Date.now()))
  }
  await sleep(Math.max(0, endMs - Date.now()))
  return course
}

function within(ms: number, { fromMs, toMs }: Span, marginMs: number): boolean {
  return ms >= fromMs - marginMs && ms <= toMs + marginMs
}

function lettersOf(hours: readonly StoredHour[]): Map<number, string> {
  return new Map(
    hours.flatMap(({ hourMs, letters }) =>
      letters
        .split('')
        .flatMap((letter, slot): [number, string][] => (letter === '-' ? [] : [[hourMs + slot * SLOT_MS, letter]])),
    ),
  )
}
