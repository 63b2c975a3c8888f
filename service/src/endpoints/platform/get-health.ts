import { z } from 'zod'
import { OVERALL_STATES, SERVICE_STATES } from '../../domain/health.ts'
import { noticesOf } from '../../domain/notice.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Notices } from '../schemas/notice.ts'

const State = z.enum(SERVICE_STATES)

const HealthReply = z
  .object({
    status: z
      .enum(OVERALL_STATES)
      .describe('down: neither live books nor history can be served. degraded: something else is wrong'),
    analytics_store: State.describe('history'),
    cache: State.describe('live books, rate limits'),
    pipeline: State.describe('recording; ok: rows of the last seconds have arrived'),
    websocket: State.describe('off: not part of this installation'),
    accounts: State.describe('accounts, keys and credits; without it, keys in use still work for a while'),
    notices: Notices,
    checked_at: Instant,
  })
  .meta({ id: 'Health' })

export const getHealth = endpoint({
  method: 'GET',
  path: '/health',
  name: 'get_health',
  group: 'Public',
  summary: 'Get the state of the service and its parts, at most five seconds old',
  description: 'Returns 503 with the same body when the service is down.',
  access: 'public',
  reply: HealthReply,
  otherStatuses: { 503: 'The service is down.' },
  errors: [],

  async handle({ stores: { health, heartbeats }, nowMs }) {
    const { status, services } = health.read(nowMs)
    return {
      body: { status, ...services, notices: noticesOf(heartbeats.current(nowMs)), checked_at: instantOf(nowMs) },
      ...(status === 'down' && { status: 503 }),
    }
  },
})
