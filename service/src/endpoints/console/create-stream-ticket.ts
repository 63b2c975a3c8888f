import { z } from 'zod'
import { TICKET_MS } from '../../stores/accounts/stream-tickets.ts'
import { signedIn } from '../account/signed-in.ts'
import { endpoint } from '../endpoint.ts'

export const createStreamTicket = endpoint({
  method: 'POST',
  path: '/stream-tickets',
  name: 'create_stream_ticket',
  group: 'Console',
  summary: 'Create a ticket that opens one stream',
  description: 'For the pages of the console, whose browser can not send a key. A ticket works once, for 30 seconds.',
  access: { by: 'session' },
  reply: z.object({
    ticket: z.string().describe('send it in the first frame: {"id":0,"op":"auth","ticket":"…"}'),
    url: z.string().describe('address of the stream'),
    expires_in_ms: z.int(),
  }),
  status: 201,
  errors: ['store_unavailable'],

  async handle({ stores, ...request }) {
    const { user } = signedIn(request)
    request.require('websocket')
    const { accountId, sessionHash } = user
    const ticket = await stores.streamTickets.issue({ accountId, sessionHash })
    return { body: { ticket, url: stores.streamUrl, expires_in_ms: TICKET_MS } }
  },
})
