import type { Behaviour } from '../world/behaviours.ts'
import { type Random, random } from '../world/random.ts'
import { FAULT_KINDS, type FaultKind, type FaultName } from './fault-list.ts'
import type { Oracle } from './oracle.ts'

export const FEEDS = ['gamma', 'clob', 'polymarket', 'kalshi', 'hyperliquid', 'binance', 'rtds'] as const
export type Feed = (typeof FEEDS)[number]

/** What a fault applies to; without members it applies to everything. */
export interface Target {
  feed?: Feed | undefined
  connection?: string | undefined
  /** A condition id, a ticker of Kalshi, or a coin. */
  market?: string | undefined
}

export interface FaultOrder {
  name: FaultName
  target?: Target | undefined
  /** Probability that the fault is applied on an occasion; default 1. */
  rate?: number | undefined
  /** Switches itself off after this number of applications. */
  times?: number | undefined
  options?: Record<string, number> | undefined
}

export interface ActiveFault {
  id: string
  name: FaultName
  target: Target
  rate: number
  timesLeft: number
  options: Record<string, number>
  strikes: number
}

export interface Occasion {
  feed: Feed
  connection?: string | undefined
  market?: string | undefined
  /** All markets that it concerns, if it concerns a whole connection. */
  markets?: readonly string[] | undefined
  detail?: string | undefined
}

/** The id of entries in the oracle that no fault caused. */
const HABIT = 'habit'

/** The active faults. Feeds ask here whether a fault applies; each application is recorded in the oracle. */
export class Switchboard {
  readonly #active = new Map<string, ActiveFault>()
  readonly #byName = new Map<FaultName, ActiveFault[]>()
  readonly #listeners = new Set<(fault: ActiveFault, isOn: boolean) => void>()
  readonly #draw: Random
  readonly #oracle: Oracle
  readonly #now: () => number
  #count = 0

  constructor(seed: string, oracle: Oracle, now: () => number) {
    this.#draw = random(seed, 'faults')
    this.#oracle = oracle
    this.#now = now
  }

  get draw(): Random {
    return this.#draw
  }

  active(): ActiveFault[] {
    return [...this.#active.values()]
  }

  switchOn(order: FaultOrder): ActiveFault {
    const kind: FaultKind = FAULT_KINDS[order.name]
    const defaults = Object.entries(kind.options ?? {}).map(([name, option]) => [name, option.usual])
    const fault: ActiveFault = {
      id: `fault-${++this.#count}`,
      name: order.name,
      target: order.target ?? {},
      rate: order.rate ?? 1,
      timesLeft: order.times ?? Number.POSITIVE_INFINITY,
      options: { ...Object.fromEntries(defaults), ...order.options },
      strikes: 0,
    }
    this.#active.set(fault.id, fault)
    this.#regroup()
    this.#oracle.record({ atMs: this.#now(), fault: fault.name, faultId: fault.id, detail: 'switched on' })
    for (const listen of this.#listeners) listen(fault, true)
    return fault
  }

  switchOff(id: string): boolean {
    const fault = this.#active.get(id)
    if (fault === undefined) return false
    this.#active.delete(id)
    this.#regroup()
    this.#oracle.record({ atMs: this.#now(), fault: fault.name, faultId: id, detail: 'switched off' })
    for (const listen of this.#listeners) listen(fault, false)
    return true
  }

  onSwitch(listen: (fault: ActiveFault, isOn: boolean) => void): void {
    this.#listeners.add(listen)
  }

  get isQuiet(): boolean {
    return this.#active.size === 0
  }

  /** Finds an active fault that is a state and not an event: nothing is counted or recorded. */
  find(name: FaultName, occasion: Occasion): ActiveFault | undefined {
    return this.#byName.get(name)?.find((fault) => appliesTo(fault.target, occasion))
  }

  /** Returns the fault of that name that applies now, if any, and counts and records the application. */
  strike(name: FaultName, occasion: Occasion): ActiveFault | undefined {
    for (const fault of this.#byName.get(name) ?? []) {
      if (!appliesTo(fault.target, occasion)) continue
      if (fault.rate < 1 && !this.#draw.chance(fault.rate)) continue
      fault.strikes++
      fault.timesLeft--
      this.#record(name, fault.id, occasion)
      if (fault.timesLeft <= 0) this.switchOff(fault.id)
      return fault
    }
    return undefined
  }

  /** Records that a habit of the venue showed; it is no fault and has no id of its own. */
  note(habit: Behaviour, occasion: Omit<Occasion, 'feed'>): void {
    this.#record(habit, HABIT, occasion)
  }

  #record(
    fault: FaultName | Behaviour,
    faultId: string,
    { connection, market, markets, detail }: Omit<Occasion, 'feed'>,
  ): void {
    this.#oracle.record({
      atMs: this.#now(),
      fault,
      faultId,
      ...(connection !== undefined && { connection }),
      ...(market !== undefined && { market }),
      ...(markets !== undefined && { markets }),
      ...(detail !== undefined && { detail }),
    })
  }

  #regroup(): void {
    this.#byName.clear()
    for (const fault of this.#active.values()) {
      this.#byName.set(fault.name, [...(this.#byName.get(fault.name) ?? []), fault])
    }
  }
}

function appliesTo(target: Target, occasion: Occasion): boolean {
  return (
    (target.feed === undefined || target.feed === occasion.feed) &&
    (target.connection === undefined || target.connection === occasion.connection) &&
    (target.market === undefined || target.market === occasion.market)
  )
}
