import { sessionRequest } from '../session-request.ts'
import type { PageOpening } from './feed-messages.ts'

interface Ticket {
  readonly ticket: string
  readonly url: string
  readonly opened_at: string
}

/** The service takes no longer time. */
const LONGEST_OPEN_MS = 7 * 86_400_000

/**
 * The tickets of one page. All of them have the time at which the page was opened, so that it takes no stream from a
 * page that was opened later. Methods throw a `BookreelError`.
 */
export class PageTickets {
  readonly #openedMs: number
  #openedAt: string | undefined
  #unused: string | undefined

  constructor({ ms, at }: PageOpening) {
    this.#openedMs = ms
    this.#openedAt = at
  }

  /** Requests the first ticket. */
  async first(): Promise<{ readonly streamUrl: string; readonly openedAt: string }> {
    const { ticket, url, opened_at } = await this.#request()
    this.#unused = ticket
    return { streamUrl: url, openedAt: opened_at }
  }

  async next(): Promise<string> {
    const ticket = this.#unused ?? (await this.#request()).ticket
    this.#unused = undefined
    return ticket
  }

  async #request(): Promise<Ticket> {
    const agoMs = Math.min(LONGEST_OPEN_MS, Math.max(0, Date.now() - this.#openedMs))
    const query = this.#openedAt === undefined ? { opened_ms_ago: String(agoMs) } : { opened_at: this.#openedAt }
    const ticket = await sessionRequest<Ticket>(`/app/api/stream-tickets?${new URLSearchParams(query)}`, 'POST')
    this.#openedAt = ticket.opened_at
    return ticket
  }
}
