/** Which markets ride on which socket. A market stays where it is; a new one takes the first free seat. */
export class SocketPlan {
  readonly #seatsPerSocket: number
  readonly #sockets = new Map<number, Set<string>>()
  readonly #socketOf = new Map<string, number>()
  #count = 0

  constructor(seatsPerSocket: number) {
    this.#seatsPerSocket = seatsPerSocket
  }

  get sockets(): ReadonlyMap<number, ReadonlySet<string>> {
    return this.#sockets
  }

  socketOf(marketId: string): number | undefined {
    return this.#socketOf.get(marketId)
  }

  /** The number of the socket, and whether it has to be opened for this market. */
  add(marketId: string): { socket: number; isNew: boolean } {
    const known = this.#socketOf.get(marketId)
    if (known !== undefined) return { socket: known, isNew: false }
    for (const [socket, markets] of this.#sockets) {
      if (markets.size >= this.#seatsPerSocket) continue
      markets.add(marketId)
      this.#socketOf.set(marketId, socket)
      return { socket, isNew: false }
    }
    const socket = ++this.#count
    this.#sockets.set(socket, new Set([marketId]))
    this.#socketOf.set(marketId, socket)
    return { socket, isNew: true }
  }

  /** The number of the socket it leaves, and whether nobody is left on it. */
  remove(marketId: string): { socket: number; isEmpty: boolean } | undefined {
    const socket = this.#socketOf.get(marketId)
    if (socket === undefined) return undefined
    this.#socketOf.delete(marketId)
    const markets = this.#sockets.get(socket)
    markets?.delete(marketId)
    const isEmpty = markets === undefined || markets.size === 0
    if (isEmpty) this.#sockets.delete(socket)
    return { socket, isEmpty }
  }
}
