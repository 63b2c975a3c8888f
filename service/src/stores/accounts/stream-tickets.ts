import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RedisConnection } from '../engines/redis-connection.ts'
import { RedisScript } from '../engines/redis-script.ts'
import { slotKeyOf } from './console-slots.ts'

/** The session for which a ticket was issued, and when its page was opened. */
const TicketOwner = z.strictObject({ accountId: z.string(), sessionHash: z.string(), openedAtMs: z.int() })
export type TicketOwner = z.infer<typeof TicketOwner>

/** Pages use a ticket at once. */
export const TICKET_MS = 30_000
const TICKET = /^[\w-]{43}$/

/** The clock of the node of Redis that has the key, because the clocks of our nodes differ. */
const NOW = new RedisScript<number>(`
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)`)

interface OpenedTime {
  /** As an earlier ticket had it; without it `msAgo` counts. */
  readonly atMs: number | undefined
  readonly msAgo: number
}

/** Tickets with which a page opens one stream, because browsers can't send headers with it. Throws `RedisUnavailable`. */
export class StreamTickets {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  async issue(
    session: Omit<TicketOwner, 'openedAtMs'>,
    { atMs, msAgo }: OpenedTime,
  ): Promise<{ readonly ticket: string; readonly openedAtMs: number }> {
    const ticket = randomBytes(32).toString('base64url')
    const nowMs = await this.#redis.ask((client) => NOW.run(client, [slotKeyOf(session)], []))
    const openedAtMs = Math.min(atMs ?? nowMs - msAgo, nowMs)
    const owner: TicketOwner = { ...session, openedAtMs }
    await this.#redis.ask((client) =>
      client.set(keyOf(ticket), JSON.stringify(owner), { expiration: { type: 'PX', value: TICKET_MS } }),
    )
    return { ticket, openedAtMs }
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
