import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export interface Asking {
  readonly port: number
  /** Sent unchanged: nothing is encoded or corrected. */
  readonly path: string
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  readonly timeoutMs?: number
  /** Aborts the request. */
  readonly signal?: AbortSignal
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const TIMEOUT_MS = 60_000

/** Requests on loopback over a fixed number of connections to each address. */
export class HttpClient implements Disposable {
  readonly #agent: Agent

  /** `localAddress` is the loopback address that the requests come from. */
  constructor(connections: number, localAddress?: string) {
    const sockets = { keepAlive: true, maxSockets: connections, maxFreeSockets: connections }
    this.#agent = new Agent({ ...sockets, ...(localAddress !== undefined && { localAddress }) })
  }

  /** Rejects when the connection breaks or on timeout. */
  ask({ port, path, method = 'GET', headers = {}, body, timeoutMs = TIMEOUT_MS, signal }: Asking): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const late = AbortSignal.timeout(timeoutMs)
      const ends = signal === undefined ? late : AbortSignal.any([late, signal])
      // For some methods Node sends a body without content-length, which the server then reads as another request.
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const all = { ...length, ...headers }
      const options = { host: '127.0.0.1', port, path, method, headers: all, agent: this.#agent, signal: ends }
      const outgoing = request(options, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('aborted', () => reject(new Error('the response was cut off')))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        )
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  /** Whether the answer is 200. Asks twice, because an idle connection may be closed at the moment it is used again. */
  async isAnswered(port: number, path: string): Promise<boolean> {
    const ask = (): Promise<Reply> => this.ask({ port, path })
    const reply = await ask()
      .catch(ask)
      .catch(() => undefined)
    return reply?.status === 200
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
