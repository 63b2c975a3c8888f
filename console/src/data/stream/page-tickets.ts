import { sessionRequest } from '../session-request.ts'

interface Ticket {
  readonly ticket: string
  readonly url: string
  readonly opened_at: string
}

/**
 * The tickets of one page. With the time of its first one it opens a lost connection again, and takes no stream from a
 * page that was opened later.
 */
export class PageTickets {
  openedAt: string | undefined

  constructor(openedAt?: string) {
    this.openedAt = openedAt
  }

  /** Throws a `BookreelError`. */
  async request(): Promise<Ticket> {
    const query = this.openedAt === undefined ? '' : `?${new URLSearchParams({ opened_at: this.openedAt })}`
    const ticket = await sessionRequest<Ticket>(`/app/api/stream-tickets${query}`, 'POST')
    this.openedAt = ticket.opened_at
    return ticket
  }
}
