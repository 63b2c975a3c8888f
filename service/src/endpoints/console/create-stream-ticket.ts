import { z } from 'zod'
import { TICKET_MS } from '../../stores/accounts/stream-tickets.ts'
import { signedIn } from '../account/signed-in.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Moment } from '../schemas/parameters.ts'

export const createStreamTicket = endpoint({
  method: 'POST',
  path: '/stream-tickets',
  name: 'create_stream_ticket',
  group: 'Console',
  summary: 'Create a ticket that opens one stream',
  description: 'For the pages of the console, whose browser can not send a key. A ticket works once, for 30 seconds.',
  access: { by: 'session' },
  query: z.object({
    opened_at: Moment.optional().describe(
      'of the first answer to this page, when it opens a lost connection again; it then takes no stream from a page that was opened later',
    ),
  }),
  reply: z.object({
    ticket: z.string().describe('send it in the first frame: {"id":0,"op":"auth","ticket":"…"}'),
    url: z.string().describe('address of the stream'),
    expires_in_ms: z.int(),
    opened_at: Instant.describe('when the page asked for its first ticket'),
  }),
  status: 201,
  errors: ['store_unavailable'],

  async handle({ query, stores, nowMs, ...request }) {
    const { user } = signedIn(request)
    request.require('websocket')
    const { accountId, sessionHash } = user
    const openedAtMs = Math.min(query.opened_at ?? nowMs, nowMs)
    const ticket = await stores.streamTickets.issue({ accountId, sessionHash, openedAtMs })
    const opened_at = instantOf(openedAtMs)
    return { body: { ticket, url: stores.streamUrl, expires_in_ms: TICKET_MS, opened_at } }
  },
})
