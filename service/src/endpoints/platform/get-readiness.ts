import { z } from 'zod'
import { OVERALL_STATES } from '../../domain/health.ts'
import { endpoint } from '../endpoint.ts'

export const getReadiness = endpoint({
  method: 'GET',
  path: '/health/ready',
  name: 'get_readiness',
  group: 'Public',
  summary: 'Whether requests should be sent to this process; for load balancers',
  description: 'Answers 503 with the same body when not: it is down, or has not read the list of markets yet.',
  access: 'public',
  reply: z.object({ ready: z.boolean(), status: z.enum(OVERALL_STATES) }),
  otherStatuses: { 503: 'Send requests elsewhere.' },
  errors: [],

  async handle({ stores: { health, catalogue }, nowMs }) {
    const { status } = health.read(nowMs)
    const ready = status !== 'down' && catalogue.refreshedAtMs !== undefined
    return { body: { ready, status }, ...(!ready && { status: 503 }) }
  },
})
