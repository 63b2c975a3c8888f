import type { EventEmitter } from 'node:events'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tier } from '@bookreel/service/domain/tier'
import { type ClientOptions, WebSocket } from 'ws'
import type { Scene } from './scene.ts'
import { Tally } from './tally.ts'

interface Asking {
  readonly path: string
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: Buffer
  /** Number of the address to use, to ask often from the same one. */
  readonly from?: number
}

const ANSWER_WITHIN_MS = 20_000
/** A closed connection is opened again after this time, so that refusals don't make an endless loop. */
const REOPEN_AFTER_MS = 250

/** What generators share: paced requests and held connections from many addresses, until the time is over. */
export class Attack {
  readonly scene: Scene
  readonly tally = new Tally()
  readonly signal: AbortSignal
  readonly #name: string
  #used = 0

  /** `name` is that of the generator. */
  constructor(name: string, scene: Scene, signal: AbortSignal) {
    this.#name = name
    this.scene = scene
    this.signal = signal
  }

  /** The key of this generator's account of the tier. */
  key(tier: Tier): string {
    return this.scene.keys[this.#name]?.[tier] ?? ''
  }

  /** Acts at a fixed rate, also while earlier acts are unanswered, up to `mostAtOnce` of them. */
  async every(perSecond: number, mostAtOnce: number, act: (index: number) => Promise<void>): Promise<void> {
    const perMs = (perSecond * this.scene.load) / 1_000
    const fromMs = performance.now()
    const running = new Set<Promise<void>>()
    for (let index = 0; !this.signal.aborted; ) {
      const due = Math.floor((performance.now() - fromMs) * perMs) + 1
      for (; index < due; index++) {
        if (running.size >= mostAtOnce) {
          this.tally.count('not sent: too many unanswered')
          continue
        }
        const one: Promise<void> = act(index)
          .catch(() => this.tally.count('failed'))
          .finally(() => running.delete(one))
        running.add(one)
      }
      await this.#pause(Math.max(1, fromMs + index / perMs - performance.now()))
    }
    await Promise.all(running)
  }

  /** Keeps this number of TCP connections; `use` is called for each new one. `from` makes all come from one address. */
  async hold(count: number, use: (socket: Socket, index: number) => void, from?: number): Promise<void> {
    await this.#keep(count, async (index) => {
      const socket = connect({ host: this.scene.host, port: this.scene.port, ...this.#from(from) })
      socket.on('error', () => {})
      socket.once('connect', () => use(socket, index))
      await this.#untilClosed(socket, () => socket.destroy())
    })
  }

  /**
   * Keeps this number of WebSocket connections; `use` is called for each that the service accepted. `from` makes all come
   * from one address.
   */
  async holdStreams(
    count: number,
    key: string | undefined,
    use: (socket: WebSocket, index: number) => void,
    from?: number,
  ): Promise<void> {
    await this.#keep(count, async (index) => {
      const headers = key === undefined ? {} : { 'x-api-key': key }
      const options: ClientOptions = { headers, perMessageDeflate: false, ...this.#from(from) }
      const socket = new WebSocket(`ws://${this.scene.host}:${this.scene.port}/v1/stream`, options)
      socket.on('error', () => {})
      socket.on('unexpected-response', (_request, response) => {
        this.tally.countStatus(response.statusCode ?? 0)
        response.destroy()
        socket.terminate()
      })
      socket.once('open', () => {
        this.tally.count('streams opened')
        use(socket, index)
      })
      socket.once('close', (code) => this.tally.count(`closed ${code}`))
      await this.#untilClosed(socket, () => socket.terminate())
    })
  }

  /** One request on a new connection; counts the status. */
  async ask({ path, method = 'GET', headers = {}, body, from }: Asking): Promise<number> {
    const { host, port } = this.scene
    const late = AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
    const length = body === undefined ? {} : { 'content-length': body.length }
    const options = {
      host,
      port,
      path,
      method,
      headers: { ...length, ...headers },
      agent: false,
      signal: late,
    } as const
    const status = await new Promise<number>((resolve, reject) => {
      const outgoing = request({ ...options, ...this.#from(from) }, (answer) => {
        answer.resume()
        answer.once('error', reject)
        answer.once('end', () => resolve(answer.statusCode ?? 0))
      })
      outgoing.once('error', reject)
      outgoing.end(body)
    })
    this.tally.countStatus(status)
    return status
  }

  async #keep(count: number, one: (index: number) => Promise<void>): Promise<void> {
    const places = Array.from({ length: Math.max(1, Math.round(count * this.scene.load)) }, (_, index) => index)
    await Promise.all(
      places.map(async (index) => {
        while (!this.signal.aborted) {
          await one(index)
          await this.#pause(REOPEN_AFTER_MS)
        }
      }),
    )
  }

  async #untilClosed(socket: Socket | WebSocket, end: () => void): Promise<void> {
    this.tally.count('connections')
    const noteEnd = this.tally.opened()
    this.signal.addEventListener('abort', end, { once: true })
    // Not once() of node:events, which rejects when the connection has an error.
    await new Promise<void>((resolve) => (socket as EventEmitter).once('close', () => resolve()))
    this.signal.removeEventListener('abort', end)
    noteEnd()
  }

  #from(number = this.#used++): { localAddress?: string } {
    const { addresses } = this.scene
    const address = addresses[number % addresses.length]
    return address === undefined ? {} : { localAddress: address }
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.signal }).catch(() => {})
  }
}
