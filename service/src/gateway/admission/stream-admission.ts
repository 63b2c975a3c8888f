import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessControl } from '../../access/access-control.ts'
import type { Caller } from '../../access/caller.ts'
import { missingKey, storeUnavailable, tooMany } from '../../access/refusals.ts'
import { ApiError } from '../../domain/api-error.ts'
import { admit, authenticate } from '../../pipeline/admit.ts'
import type { ApiMetrics } from '../../pipeline/api-metrics.ts'
import { authorise } from '../../pipeline/authorise.ts'
import type { PresentedKey } from '../../pipeline/presented-key.ts'
import { recorded } from '../../pipeline/record.ts'
import type { ConsoleSlots, ConsoleStream } from '../../stores/accounts/console-slots.ts'
import type { StreamTickets } from '../../stores/accounts/stream-tickets.ts'
import type { WsLeases } from '../../stores/accounts/ws-leases.ts'
import { RedisUnavailable } from '../../stores/engines/redis-connection.ts'

export interface StreamAdmissionDeps {
  readonly accessControl: AccessControl
  readonly metrics: ApiMetrics
  readonly leases: WsLeases
  readonly tickets: Pick<StreamTickets, 'redeem'>
  readonly slots: ConsoleSlots
  /** Number of nodes; while Redis is unavailable each admits its share of the connections of an account. */
  readonly nodeCount: () => number
  readonly onTrouble: (error: unknown) => void
}

/** A caller whose connection was admitted. */
export interface Guest {
  readonly caller: Caller
  readonly connectionId: string
  /** Only of a page of the console. */
  readonly console?: ConsoleStream
}

const OPERATION = { name: 'stream_connect', access: { by: 'key', scope: 'stream', capability: 'websocket' } } as const

const RETRY_SECONDS = 1
const LAST_ONE_CLOSES_WITHIN_MS = 1_000
const TRY_EVERY_MS = 100

/** Admits WebSocket connections, and limits them per account across all nodes. */
export class StreamAdmission {
  readonly #deps: StreamAdmissionDeps
  readonly #guests = new Map<string, Guest>()

  constructor(deps: StreamAdmissionDeps) {
    this.#deps = deps
  }

  /** Throws the errors of every request, and `rate_limited` when all connections of the tier are in use. */
  enter(key: PresentedKey, ip: string, connectionId: string): Promise<Guest> {
    return this.#counted(() => this.#admit(key, ip, connectionId))
  }

  /** A page of the console; it takes over the stream of a page that was not opened later. Throws `unauthenticated` for a used ticket. */
  enterByTicket(ticket: string, connectionId: string): Promise<Guest> {
    return this.#counted(() => this.#admitPage(ticket, connectionId))
  }

  async leave({ connectionId, caller, console }: Guest): Promise<void> {
    if (!this.#guests.delete(connectionId)) return
    const { leases, slots } = this.#deps
    await (console ? slots.release(console) : leases.release(caller.accountId, connectionId)).catch(() => {})
  }

  async #counted(admitted: () => Promise<Guest>): Promise<Guest> {
    const { guest } = await recorded(this.#deps.metrics, { transport: 'stream', route: OPERATION.name }, async () => ({
      guest: await admitted(),
      status: 101,
    }))
    this.#guests.set(guest.connectionId, guest)
    return guest
  }

  /** Renews the leases, and takes them again if Redis has lost them. Returns the guests whose place others have taken. */
  async renewLeases(): Promise<Guest[]> {
    const { leases, onTrouble } = this.#deps
    const guests = [...this.#guests.values()].filter(({ console }) => console === undefined)
    const held = await Promise.all(
      guests.map(({ caller, connectionId }) =>
        leases.hold(caller.accountId, connectionId, caller.limits.wsMax).catch((error: unknown) => {
          if (!(error instanceof RedisUnavailable)) onTrouble(error)
          return true
        }),
      ),
    )
    return guests.filter((_, index) => held[index] === false)
  }

  async #admit(key: PresentedKey, ip: string, connectionId: string): Promise<Guest> {
    const request = { operation: OPERATION, credentials: { key, ip } }
    const { caller, rate } = await admit(this.#deps, request, await authenticate(this.#deps, request))
    if (caller === undefined) throw missingKey()
    authorise({ caller }, OPERATION.access)
    const guest = { caller, connectionId }
    if (await this.#takeLeaseSoon(guest)) return guest
    const { tier, limits } = caller
    const connections = limits.wsMax === 1 ? '1 stream connection' : `${limits.wsMax} stream connections`
    throw tooMany(
      `The ${tier} tier allows ${connections} at the same time. Close one, and connect again in ${RETRY_SECONDS} s.`,
      RETRY_SECONDS,
      { tier, connections: limits.wsMax },
      rate?.limit,
    )
  }

  async #admitPage(ticket: string, connectionId: string): Promise<Guest> {
    const { tickets, slots, accessControl } = this.#deps
    const owner = await tickets.redeem(ticket).catch(unlessAway)
    if (owner === undefined) throw usedTicket()
    const caller = await accessControl.authenticateConsole(owner.accountId)
    await accessControl.admit(caller)
    authorise({ caller }, OPERATION.access)
    const console = { ...owner, connectionId }
    if (await slots.take(console).catch(unlessAway)) return { caller, connectionId, console }
    throw usedTicket()
  }

  /** A client may open a connection while the close of its last one is still on its way. */
  async #takeLeaseSoon(guest: Guest): Promise<boolean> {
    const untilMs = performance.now() + LAST_ONE_CLOSES_WITHIN_MS
    while (!(await this.#takeLease(guest))) {
      if (performance.now() >= untilMs) return false
      await sleep(TRY_EVERY_MS)
    }
    return true
  }

  async #takeLease({ caller, connectionId }: Guest): Promise<boolean> {
    const most = caller.limits.wsMax
    try {
      return await this.#deps.leases.hold(caller.accountId, connectionId, most)
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error
      const own = [...this.#guests.values()].filter(
        (each) => each.caller.accountId === caller.accountId && each.console === undefined,
      ).length
      return own < Math.ceil(most / this.#deps.nodeCount())
    }
  }
}

function unlessAway(error: unknown): never {
  throw error instanceof RedisUnavailable ? storeUnavailable(error) : error
}

function usedTicket(): ApiError {
  return new ApiError(
    'unauthenticated',
    'This ticket is unknown, used or older than 30 seconds, or its session has ended. Request another one.',
  )
}
