import type { AccessControl } from '../../access/access-control.ts'
import type { Caller } from '../../access/caller.ts'
import { ApiError } from '../../domain/api-error.ts'
import { requireScope } from '../../domain/scope.ts'
import { requireUse } from '../../domain/tier.ts'
import type { WsLeases } from '../../stores/accounts/ws-leases.ts'
import { RedisUnavailable } from '../../stores/engines/redis-connection.ts'

export interface StreamAdmissionDeps {
  readonly gate: AccessControl
  readonly leases: WsLeases
  /** Among how many the places of an account are divided while Redis is away. */
  readonly nodeCount: number
  readonly onTrouble: (error: unknown) => void
}

/** Somebody who may be here, until they leave. */
export interface Guest {
  readonly caller: Caller
  readonly connectionId: string
  readonly ip: string
  /** In memory only, to ask again when something has changed. */
  readonly key: string
}

/** Lets in who has a key, a tier with streams and a free place, on all nodes together. */
export class StreamAdmission {
  readonly #deps: StreamAdmissionDeps
  readonly #guests = new Map<string, Guest>()

  constructor(deps: StreamAdmissionDeps) {
    this.#deps = deps
  }

  /** Faults: those of the gate, `scope_not_allowed`, `tier_not_allowed`, and `rate_limited` without a free place. */
  async enter(key: string | undefined, ip: string, connectionId: string): Promise<Guest> {
    const { gate } = this.#deps
    const caller = await gate.authenticate(key, ip)
    requireScope(caller.scopes, 'stream')
    requireUse(caller.tier, 'websocket')
    await gate.admit(caller)
    const guest = { caller, connectionId, ip, key: key ?? '' }
    if (!(await this.#takePlace(guest))) {
      const most = caller.limits.wsMax
      const details = { tier: caller.tier, connections: most }
      throw new ApiError('rate_limited', `All ${most} connections of the ${caller.tier} tier are in use.`, { details })
    }
    this.#guests.set(connectionId, guest)
    return guest
  }

  async leave({ connectionId, caller }: Guest): Promise<void> {
    if (!this.#guests.delete(connectionId)) return
    await this.#deps.leases.release(caller.accountId, connectionId).catch(() => {})
  }

  /** Keeps the places, and takes them again if Redis has lost them. */
  async keepPlaces(): Promise<void> {
    const { leases, onTrouble } = this.#deps
    const guests = [...this.#guests.values()]
    await Promise.all(
      guests.map(({ caller, connectionId }) =>
        leases.hold(caller.accountId, connectionId, caller.limits.wsMax).catch((error: unknown) => {
          if (!(error instanceof RedisUnavailable)) onTrouble(error)
        }),
      ),
    )
  }

  /** Undefined while it can't be known; else what is wrong with the key now, if anything. */
  async lookAgain({ caller, key, ip }: Guest): Promise<{ fault?: ApiError } | undefined> {
    try {
      const now = await this.#deps.gate.authenticate(key, ip)
      requireScope(now.scopes, 'stream')
      requireUse(now.tier, 'websocket')
      return now.tier === caller.tier
        ? {}
        : { fault: new ApiError('tier_not_allowed', `The account has moved from ${caller.tier} to ${now.tier}.`) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return error.code === 'store_unavailable' || error.code === 'rate_limited' ? undefined : { fault: error }
    }
  }

  async #takePlace({ caller, connectionId }: Guest): Promise<boolean> {
    const most = caller.limits.wsMax
    try {
      return await this.#deps.leases.hold(caller.accountId, connectionId, most)
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error
      const own = [...this.#guests.values()].filter((each) => each.caller.accountId === caller.accountId).length
      return own < Math.ceil(most / this.#deps.nodeCount)
    }
  }
}
