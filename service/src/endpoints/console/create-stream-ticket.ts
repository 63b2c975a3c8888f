import { z } from 'zod'
import { TICKET_MS } from '../../stores/accounts/stream-tickets.ts'
import { signedIn } from '../account/signed-in.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Moment, wholeNumber } from '../schemas/parameters.ts'

const LONGEST_OPEN_MS = 7 * 86_400_000

export const createStreamTicket = endpoint({
  method: 'POST',
  path: '/stream-tickets',
  name: 'create_stream_ticket',
  group: 'Console',
  summary: 'Create a ticket that opens one stream',
  description: 'For the pages of the console, whose browser can not send a key. A ticket works once, for 30 seconds.',
  access: { by: 'session' },
  query: z.object({
    opened_ms_ago: wholeNumber(0, LONGEST_OPEN_MS)
      .default(0)
      .describe('how long ago the page was opened; it takes no stream from a page that was opened later'),
    opened_at: Moment.optional().describe(
      'of the first answer to this page, for its later tickets; replaces `opened_ms_ago`',
    ),
  }),
  reply: z.object({
    ticket: z.string().describe('send it in the first frame: {"id":0,"op":"auth","ticket":"…"}'),
    url: z.string().describe('address of the stream'),
    expires_in_ms: z.int(),
    opened_at: Instant.describe('when the page was opened'),
  }),
  status: 201,
  errors: ['store_unavailable'],

  async handle({ query, stores, ...request }) {
    const { user } = signedIn(request)
    request.require('websocket')
    const { accountId, sessionHash } = user
    const { opened_at: atMs, opened_ms_ago: msAgo } = query
    const { ticket, openedAtMs } = await stores.streamTickets.issue({ accountId, sessionHash }, { atMs, msAgo })
    const opened_at = instantOf(openedAtMs)
    return { body: { ticket, url: stores.streamUrl, expires_in_ms: TICKET_MS, opened_at } }
  },
})
