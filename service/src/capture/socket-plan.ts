import type { ExpectedTraffic, Traffic } from '../venues/venue.ts'

/** The sockets of one market. It has a second one only while it moves. */
export interface Place {
  current: number
  /** Will become the current one, when it has sent a book. */
  next?: number | undefined
  /** Was the current one; its last trades may still come. */
  leaving?: number | undefined
}

interface PlannedSocket {
  /** For one market only. */
  isExclusive: boolean
  /** Gets no more markets. */
  isClosing: boolean
  markets: Set<string>
}

export interface PlanLimits {
  marketsPerSocket: number
  budget: Traffic
}

/** Which markets use which sockets: by what they send, not only by their number. */
export class SocketPlan {
  readonly #limits: PlanLimits
  readonly #trafficOf: (marketId: string) => Traffic
  readonly #sockets = new Map<number, PlannedSocket>()
  readonly #places = new Map<string, Place>()
  #count = 0

  constructor(limits: PlanLimits, trafficOf: (marketId: string) => Traffic) {
    this.#limits = limits
    this.#trafficOf = trafficOf
  }

  get places(): ReadonlyMap<string, Readonly<Place>> {
    return this.#places
  }

  /** Sockets that get no more markets, but still have some. */
  get closing(): number[] {
    return [...this.#sockets].filter(([, { isClosing }]) => isClosing).map(([id]) => id)
  }

  /** All markets that subscribe on the socket, also those that move to it or away from it. */
  marketsOn(socket: number): string[] {
    return [...(this.#sockets.get(socket)?.markets ?? [])]
  }

  currentOn(socket: number): string[] {
    return this.marketsOn(socket).filter((id) => this.#places.get(id)?.current === socket)
  }

  isExclusive(socket: number): boolean {
    return this.#sockets.get(socket)?.isExclusive === true
  }

  isClosing(socket: number): boolean {
    return this.#sockets.get(socket)?.isClosing === true
  }

  /** The socket gets no more markets, and ends with its last one. */
  beginClosing(socket: number): void {
    const planned = this.#sockets.get(socket)
    if (planned !== undefined) planned.isClosing = true
  }

  loadOf(socket: number): Traffic {
    return sumOf(this.marketsOn(socket).map((id) => this.#trafficOf(id)))
  }

  /** The first socket with room for the market; a new one when there is none. */
  choose({ isExclusive, ...traffic }: ExpectedTraffic, avoided: ReadonlySet<number> = new Set()): number {
    if (isExclusive) return this.open(true)
    const found = [...this.#sockets].find(([id, socket]) => !avoided.has(id) && this.#hasRoom(id, socket, traffic))
    return found?.[0] ?? this.open(false)
  }

  open(isExclusive: boolean): number {
    const socket = ++this.#count
    this.#sockets.set(socket, { isExclusive, isClosing: false, markets: new Set() })
    return socket
  }

  /** The market uses this socket from now on, and no other. */
  assign(marketId: string, socket: number): void {
    this.remove(marketId)
    this.#places.set(marketId, { current: socket })
    this.#sockets.get(socket)?.markets.add(marketId)
  }

  beginMove(marketId: string, socket: number): void {
    const place = this.#places.get(marketId)
    if (place === undefined) return
    place.next = socket
    this.#sockets.get(socket)?.markets.add(marketId)
  }

  cancelMove(marketId: string): void {
    const place = this.#places.get(marketId)
    if (place?.next === undefined) return
    this.#sockets.get(place.next)?.markets.delete(marketId)
    place.next = undefined
  }

  /** The next socket becomes the current one; the market leaves the other later. */
  switchOver(marketId: string): void {
    const place = this.#places.get(marketId)
    if (place?.next === undefined) return
    this.leave(marketId)
    this.#places.set(marketId, { current: place.next, leaving: place.current })
  }

  leave(marketId: string): void {
    const place = this.#places.get(marketId)
    if (place?.leaving === undefined) return
    this.#sockets.get(place.leaving)?.markets.delete(marketId)
    place.leaving = undefined
  }

  remove(marketId: string): void {
    const place = this.#places.get(marketId)
    if (place === undefined) return
    for (const socket of [place.current, place.next, place.leaving])
      if (socket !== undefined) this.#sockets.get(socket)?.markets.delete(marketId)
    this.#places.delete(marketId)
  }

  /** Removes the sockets without markets, and returns their numbers. */
  takeEmpty(): number[] {
    const empty = [...this.#sockets].filter(([, { markets }]) => markets.size === 0).map(([id]) => id)
    for (const id of empty) this.#sockets.delete(id)
    return empty
  }

  /** The busiest markets that the socket must give away to be well below its budget. */
  tooMuchOn(socket: number): string[] {
    const { budget } = this.#limits
    let load = this.loadOf(socket)
    if (isWithin(load, budget)) return []
    const busiest = this.currentOn(socket)
      .map((id) => ({ id, traffic: this.#trafficOf(id) }))
      .sort((one, other) => other.traffic.framesPerS - one.traffic.framesPerS)
    const given: string[] = []
    for (const { id, traffic } of busiest.slice(0, -1)) {
      if (isWithin(load, budget, WELL_BELOW)) break
      given.push(id)
      load = { framesPerS: load.framesPerS - traffic.framesPerS, bytesPerS: load.bytesPerS - traffic.bytesPerS }
    }
    return given
  }

  /** Two groups of about the same traffic. */
  halvesOf(marketIds: readonly string[]): [string[], string[]] {
    const halves: [string[], string[]] = [[], []]
    const loads = [0, 0] as [number, number]
    const sorted = marketIds.toSorted(
      (one, other) => this.#trafficOf(other).framesPerS - this.#trafficOf(one).framesPerS,
    )
    for (const id of sorted) {
      const lighter = loads[0] <= loads[1] ? 0 : 1
      halves[lighter].push(id)
      loads[lighter] += this.#trafficOf(id).framesPerS
    }
    return halves
  }

  #hasRoom(id: number, { isExclusive, isClosing, markets }: PlannedSocket, traffic: Traffic): boolean {
    const { marketsPerSocket, budget } = this.#limits
    if (isExclusive || isClosing || markets.size >= marketsPerSocket) return false
    return markets.size === 0 || isWithin(sumOf([this.loadOf(id), traffic]), budget)
  }
}

/** Share of the budget that a socket keeps when it gives markets away. */
const WELL_BELOW = 0.7

function isWithin({ framesPerS, bytesPerS }: Traffic, budget: Traffic, share = 1): boolean {
  return framesPerS <= budget.framesPerS * share && bytesPerS <= budget.bytesPerS * share
}

function sumOf(traffics: readonly Traffic[]): Traffic {
  const sum = { framesPerS: 0, bytesPerS: 0 }
  for (const { framesPerS, bytesPerS } of traffics) {
    sum.framesPerS += framesPerS
    sum.bytesPerS += bytesPerS
  }
  return sum
}
