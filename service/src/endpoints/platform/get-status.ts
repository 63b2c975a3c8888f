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
      .describe('percent of the probes of the day that succeeded; a missing probe counts as failed'),
    incidents: z.int().describe('number of times at which probes started to fail'),
  })
  .meta({ id: 'UptimeDay' })

const Incident = z
  .object({
    service: z.enum(PROBED_SERVICES),
    started_at: Instant.describe('time of the first failed probe'),
    ended_at: Instant.nullable().describe('time of the first successful probe after it; null while it is open'),
    cause: z
      .enum(['failed_probes', 'missing_probes'])
      .describe('missing_probes: no probes were made, which counts as down'),
  })
  .meta({ id: 'Incident' })

const StatusReply = z
  .object({
    status: z.enum(OVERALL_STATES).describe('now'),
    services: z.array(
      z.object({
        service: z.enum(PROBED_SERVICES),
        status: z.enum(SERVICE_STATES).describe('now'),
        uptime: z.number().nullable().describe('percent, mean of the measured days'),
        days: z.array(Day).describe('the last 90 days including today, oldest first'),
      }),
    ),
    incidents: z
      .array(Incident)
      .describe(
        `open incidents and those of the last 90 days, newest first; an incident has at least ${TURNS_AFTER_PROBES} failed probes in a row, one every ${PROBE_EVERY_MS / 1_000} s`,
      ),
    checked_at: Instant,
  })
  .meta({ id: 'Status' })

export const getStatus = endpoint({
  method: 'GET',
  path: '/v1/status',
  name: 'get_status',
  group: 'Public',
  summary: 'Get the state of each service now and its uptime on each of the last 90 days',
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

/** Incidents of services that this version does not know are left out. */
function incidentOf({ service: name, startedAtMs, endedAtMs, wasSeenDown }: ServiceIncident) {
  return PROBED_SERVICES.filter((service) => service === name).map((service) => ({
    service,
    started_at: instantOf(startedAtMs),
    ended_at: endedAtMs === undefined ? null : instantOf(endedAtMs),
    cause: wasSeenDown ? ('failed_probes' as const) : ('missing_probes' as const),
  }))
}

/** The API is not in the health report; it is `ok`, because it answers this request. */
function stateNow(service: (typeof PROBED_SERVICES)[number], { services }: HealthReport): ServiceState {
  const name = SERVICES.find((each) => each === service)
  return name === undefined ? 'ok' : services[name]
}
