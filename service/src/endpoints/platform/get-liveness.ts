import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

export const getLiveness = endpoint({
  method: 'GET',
  path: '/health/live',
  name: 'get_liveness',
  group: 'Public',
  summary: 'Liveness check of this process, for the process manager',
  access: 'public',
  reply: z.object({ status: z.literal('ok') }),
  errors: [],

  async handle() {
    return { body: { status: 'ok' } }
  },
})
