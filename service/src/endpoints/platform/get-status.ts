import { z } from 'zod'
import { OVERALL_STATES, SERVICE_STATES, SERVICES, type ServiceState } from '../../domain/health.ts'
import type { Heartbeat } from '../../domain/heartbeat.ts'
import { LONGEST_BREAK_MS, TURNS_AFTER_PROBES } from '../../domain/incident.ts'
import { noticesOf } from '../../domain/notice.ts'
import { PROBE_EVERY_MS, PROBED_SERVICES } from '../../domain/probe.ts'
import { type DayUptime, uptimeOf } from '../../domain/uptime.ts'
import type { HealthReport } from '../../stores/platform/health.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Notices } from '../schemas/notice.ts'
import { incidentList } from './incident-list.ts'

const MOST_INCIDENTS = 500

const Day = z
  .object({
    date: z.iso.date().describe('in UTC'),
    state: z.enum(['measured', 'no_data']).describe('no_data: there is no probe of this day'),
    uptime: z.number().nullable().describe('percent of the probes of the day that succeeded; null without probes'),
    incidents: z.int().describe('number of listed incidents that happened on this day'),
    probes: z.int().describe('number of probes made'),
    failed_probes: z.int().describe('number of probes that failed'),
    missing_probes: z
      .int()
      .describe(
        'number of probes that were not made, since the first probe ever; they count neither as up nor as down',
      ),
  })
  .meta({ id: 'UptimeDay' })

const Incident = z
  .object({
    service: z.enum(PROBED_SERVICES),
    started_at: Instant.describe('time of the first failed probe'),
    ended_at: Instant.nullable().describe(
      `time of the first successful probe after it, or the end of the last failed probe when no probe followed for ${LONGEST_BREAK_MS / 1_000} s; null while it is open`,
    ),
  })
  .meta({ id: 'Incident' })

const StatusReply = z
  .object({
    status: z.enum(OVERALL_STATES).describe('now'),
    services: z.array(
      z.object({
        service: z.enum(PROBED_SERVICES),
        status: z.enum(SERVICE_STATES).describe('now'),
        uptime: z
          .number()
          .nullable()
          .describe('percent of the probes of these days that succeeded; null without probes'),
        days: z.array(Day).describe('the last 90 days including today, oldest first'),
      }),
    ),
    incidents: z
      .array(Incident)
      .describe(
        `the newest ${MOST_INCIDENTS} incidents of the last 90 days, newest first; an incident has at least ${TURNS_AFTER_PROBES} failed probes in a row, one every ${PROBE_EVERY_MS / 1_000} s`,
      ),
    settlement_prices: z
      .enum(['available', 'not_available'])
      .describe('whether the 60 s averages that short windows settle on are being recorded now'),
    notices: Notices,
    checked_at: Instant,
  })
  .meta({ id: 'Status' })

export const getStatus = endpoint({
  method: 'GET',
  path: '/v1/status',
  name: 'get_status',
  group: 'Public',
  summary: 'Get the state of each service now and its uptime on each of the last 90 days',
  description: 'The incidents are also an Atom feed, at `/v1/status.atom`.',
  access: 'public',
  reply: StatusReply,
  errors: [],
  table: {
    columns: ['service', ...Object.keys(Day.shape), 'service_status', 'service_uptime'],
    rows: ({ services }) =>
      services.flatMap(({ service, status, uptime, days }) =>
        days.map((day) => ({ service, ...day, service_status: status, service_uptime: uptime })),
      ),
    inRows: ['services'],
  },

  async handle({ stores: { health, uptime, heartbeats }, nowMs }) {
    const report = health.read(nowMs)
    const { value: measured } = await uptime.read(nowMs)
    const history = PROBED_SERVICES.map((service) => ({
      service,
      ...(measured[service] ?? uptimeOf([], nowMs)),
    }))
    return {
      body: {
        status: report.status,
        services: history.map(({ service, uptime: share, days }) => ({
          service,
          status: stateNow(service, report),
          uptime: share,
          days: days.map(dayOf),
        })),
        incidents: incidentList(measured, MOST_INCIDENTS).map(({ service, startedAtMs, endedAtMs }) => ({
          service,
          started_at: instantOf(startedAtMs),
          ended_at: endedAtMs === undefined ? null : instantOf(endedAtMs),
        })),
        settlement_prices: hasSettlementPrices(heartbeats.current(nowMs))
          ? ('available' as const)
          : ('not_available' as const),
        notices: noticesOf(heartbeats.current(nowMs)),
        checked_at: instantOf(nowMs),
      },
      maxAgeSeconds: 10,
    }
  },
})

function dayOf({ failedProbes, missingProbes, ...day }: DayUptime) {
  return { ...day, failed_probes: failedProbes, missing_probes: missingProbes }
}

/** The API is not in the health report; it is `ok`, because it answers this request. */
function stateNow(service: (typeof PROBED_SERVICES)[number], { services }: HealthReport): ServiceState {
  const name = SERVICES.find((each) => each === service)
  return name === undefined ? 'ok' : services[name]
}

/** A recorder reports 0 for a price that is fresh. */
function hasSettlementPrices(heartbeats: readonly Heartbeat[]): boolean {
  return heartbeats
    .flatMap(({ metrics }) => metrics)
    .filter(({ name }) => name === 'capture_price_missing')
    .some(({ readings }) => readings.some(({ labels, value }) => labels.source === 'twap60' && value === 0))
}
