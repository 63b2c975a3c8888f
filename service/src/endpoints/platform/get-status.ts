import { z } from 'zod'
import { OVERALL_STATES, SERVICE_STATES, SERVICES, type ServiceState } from '../../domain/health.ts'
import { TURNS_AFTER_PROBES } from '../../domain/incident.ts'
import { meanUptime, PROBE_EVERY_MS, PROBED_SERVICES, uptimeDays } from '../../domain/uptime.ts'
import type { HealthReport } from '../../stores/platform/health.ts'
import type { ServiceIncident } from '../../stores/platform/incidents.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

const Day = z
  .object({
    date: z.iso.date().describe('in UTC'),
    state: z.enum(['measured', 'no_data']).describe('no_data: before the first probe'),
    uptime: z
      .number()
      .nullable()
      .describe('percent of the probes of that day that were answered; a missing probe was not'),
    incidents: z.int().describe('times at which it stopped answering, however shortly'),
  })
  .meta({ id: 'UptimeDay' })

const Incident = z
  .object({
    service: z.enum(PROBED_SERVICES),
    started_at: Instant.describe('its first failed probe'),
    ended_at: Instant.nullable().describe('the first good one after it; null while it lasts'),
    cause: z.enum(['failed_probes', 'missing_probes']).describe('missing_probes: nobody looked, which counts as down'),
  })
  .meta({ id: 'Incident' })

const StatusReply = z
  .object({
    status: z.enum(OVERALL_STATES).describe('now'),
    services: z.array(
      z.object({
        service: z.enum(PROBED_SERVICES),
        status: z.enum(SERVICE_STATES).describe('now'),
        uptime: z.number().nullable().describe('percent, mean of the days that were measured'),
        days: z.array(Day).describe('the last 90 with today, the oldest first'),
      }),
    ),
    incidents: z
      .array(Incident)
      .describe(
        `times of at least ${TURNS_AFTER_PROBES} failed probes in a row, one every ${PROBE_EVERY_MS / 1_000} s: those that last and those of the last 90 days, the newest first`,
      ),
    checked_at: Instant,
  })
  .meta({ id: 'Status' })

export const getStatus = endpoint({
  method: 'GET',
  path: '/v1/status',
  name: 'get_status',
  group: 'Public',
  summary: 'Each service now and on each of the last 90 days',
  access: 'public',
  reply: StatusReply,
  errors: [],
  table: {
    columns: ['service', 'date', 'state', 'uptime', 'incidents'],
    rows: ({ services }) => services.flatMap(({ service, days }) => days.map((day) => ({ service, ...day }))),
    envelope: ({ status, incidents, checked_at }) => ({ status, incidents, checked_at }),
  },

  async handle({ stores: { health, uptime, incidents }, nowMs }) {
    const report = health.read(nowMs)
    const [{ value: measured }, { value: known }] = await Promise.all([uptime.read(nowMs), incidents.read(nowMs)])
    const unmeasured = uptimeDays([], { firstMs: Number.POSITIVE_INFINITY, nowMs })
    const services = PROBED_SERVICES.map((service) => {
      const days = measured.get(service) ?? unmeasured
      return { service, status: stateNow(service, report), uptime: meanUptime(days), days: [...days] }
    })
    return {
      body: {
        status: report.status,
        services,
        incidents: known.flatMap((incident) => incidentOf(incident)),
        checked_at: instantOf(nowMs),
      },
      maxAgeSeconds: 10,
    }
  },
})

/** One of a service that this version no longer knows is left out. */
function incidentOf({ service: name, startedAtMs, endedAtMs, wasSeenDown }: ServiceIncident) {
  return PROBED_SERVICES.filter((service) => service === name).map((service) => ({
    service,
    started_at: instantOf(startedAtMs),
    ended_at: endedAtMs === undefined ? null : instantOf(endedAtMs),
    cause: wasSeenDown ? ('failed_probes' as const) : ('missing_probes' as const),
  }))
}

/** Who reads this has an answer of the API before them. */
function stateNow(service: (typeof PROBED_SERVICES)[number], { services }: HealthReport): ServiceState {
  const name = SERVICES.find((each) => each === service)
  return name === undefined ? 'ok' : services[name]
}
