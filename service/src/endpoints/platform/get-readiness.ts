import { z } from 'zod'
import { OVERALL_STATES } from '../../domain/health.ts'
import { endpoint } from '../endpoint.ts'

export const getReadiness = endpoint({
  method: 'GET',
  path: '/health/ready',
  name: 'get_readiness',
  group: 'Public',
  summary: 'Readiness check of this process, for load balancers',
  description:
    'Returns 503 with the same body while the service is down or this process has not loaded the list of markets yet.',
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
