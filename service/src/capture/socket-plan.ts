/** Which markets use which socket. A market keeps its socket; a new one takes the first socket with room. */
export class SocketPlan {
  readonly #marketsPerSocket: number
  readonly #sockets = new Map<number, Set<string>>()
  readonly #socketOf = new Map<string, number>()
  #count = 0

  constructor(marketsPerSocket: number) {
    this.#marketsPerSocket = marketsPerSocket
  }

  get sockets(): ReadonlyMap<number, ReadonlySet<string>> {
    return this.#sockets
  }

  socketOf(marketId: string): number | undefined {
    return this.#socketOf.get(marketId)
  }

  /** Returns the socket's number, and whether it must be opened. */
  add(marketId: string): { socket: number; isNew: boolean } {
    const known = this.#socketOf.get(marketId)
    if (known !== undefined) return { socket: known, isNew: false }
    for (const [socket, markets] of this.#sockets) {
      if (markets.size >= this.#marketsPerSocket) continue
      markets.add(marketId)
      this.#socketOf.set(marketId, socket)
      return { socket, isNew: false }
    }
    const socket = ++this.#count
    this.#sockets.set(socket, new Set([marketId]))
    this.#socketOf.set(marketId, socket)
    return { socket, isNew: true }
  }

  /** Returns the number of the market's socket, and whether the socket has no markets left. */
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
