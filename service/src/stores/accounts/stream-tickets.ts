import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RedisConnection } from '../engines/redis-connection.ts'

/** The session for which a ticket was issued, and since when its page shows a stream. */
const TicketOwner = z.strictObject({ accountId: z.string(), sessionHash: z.string(), openedAtMs: z.int() })
export type TicketOwner = z.infer<typeof TicketOwner>

/** Pages use a ticket at once. */
export const TICKET_MS = 30_000
const TICKET = /^[\w-]{43}$/

/** Tickets with which a page opens one stream, because browsers can't send headers with it. Throws `RedisUnavailable`. */
export class StreamTickets {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  async issue(owner: TicketOwner): Promise<string> {
    const ticket = randomBytes(32).toString('base64url')
    await this.#redis.ask((client) =>
      client.set(keyOf(ticket), JSON.stringify(owner), { expiration: { type: 'PX', value: TICKET_MS } }),
    )
    return ticket
  }

  /** Undefined for a ticket that is unknown, used or too old. */
  async redeem(ticket: string): Promise<TicketOwner | undefined> {
    if (!TICKET.test(ticket)) return undefined
    const text = await this.#redis.ask((client) => client.getDel(keyOf(ticket)))
    return text === null ? undefined : TicketOwner.parse(JSON.parse(text))
  }
}

/** Only the hash is stored, so that nobody who reads Redis can open a stream. */
function keyOf(ticket: string): string {
  return `stream-ticket:${createHash('sha256').update(ticket).digest('hex')}`
}
