import { WebSocket } from 'ws'
import { type Checker, createChecker } from './checker.ts'
import type { FoundMarket } from './discover-tokens.ts'
import type { TokenFacts } from './token-watch.ts'

const MARKETS_PER_SOCKET = 200
const HEARTBEAT_MS = 10_000

/** State of one connection. */
export interface SocketRecord {
  checker: Checker
  tokenIds: readonly string[]
  /** `timestamp:hash` of each token's first book. */
  firstBooks: Map<string, string>
}

/** Follows every market over as many connections as needed, each with its own checker. */
export class AllMarketClient {
  readonly records: SocketRecord[] = []
  readonly #sockets: WebSocket[] = []
  #heartbeat: NodeJS.Timeout | undefined
  frames = 0
  bytes = 0
  /** Milliseconds between a change frame's own time and its arrival, on one machine's clock. */
  readonly lagsMs: number[] = []

  static async open(address: string, markets: readonly FoundMarket[]): Promise<AllMarketClient> {
    const client = new AllMarketClient()
    for (let from = 0; from < markets.length; from += MARKETS_PER_SOCKET) {
      await client.#follow(address, markets.slice(from, from + MARKETS_PER_SOCKET))
    }
    client.#heartbeat = setInterval(() => {
      for (const socket of client.#sockets) socket.send('PING')
    }, HEARTBEAT_MS)
    return client
  }

  get tokenBatches(): number {
    return this.records.reduce((sum, { checker }) => sum + checker.tally().batches, 0)
  }

  async #follow(address: string, markets: readonly FoundMarket[]): Promise<void> {
    const facts = new Map<string, TokenFacts>(markets.flatMap((each) => each.tokenIds.map((id) => [id, each.facts])))
    const record: SocketRecord = {
      checker: createChecker({ facts }),
      tokenIds: [...facts.keys()],
      firstBooks: new Map(),
    }
    const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 32 * 1024 * 1024 })
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('error', reject)
    })
    const firstBooks = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        this.#take(record, data.toString())
        if (record.firstBooks.size === facts.size) resolve()
      })
    })
    socket.send(JSON.stringify({ assets_ids: record.tokenIds, type: 'market', custom_feature_enabled: true }))
    this.records.push(record)
    this.#sockets.push(socket)
    await firstBooks
  }

  #take(record: SocketRecord, text: string): void {
    this.frames++
    this.bytes += text.length
    record.checker.take(text)
    if (text.startsWith('[')) {
      for (const book of JSON.parse(text)) record.firstBooks.set(book.asset_id, `${book.timestamp}:${book.hash}`)
      return
    }
    const stamp = /"timestamp":"(\d+)", "event_type":"price_change"/.exec(text)?.[1]
    if (stamp !== undefined) this.lagsMs.push(Date.now() - Number(stamp))
  }

  close(): void {
    clearInterval(this.#heartbeat)
    for (const socket of this.#sockets) socket.terminate()
    for (const { checker } of this.records) checker.finish()
  }
}
