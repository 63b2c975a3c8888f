import { createClient, ErrorReply } from '@redis/client'

/** Redis is away, busy or too slow. Whatever was asked may or may not have happened. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

export interface RedisOptions {
  readonly url: string
  /** How long a caller waits at most; default 500. */
  readonly answerWithinMs?: number
  /** Told about lost connections; they are mended without being asked. */
  readonly onTrouble?: (error: Error) => void
}

export type RedisClient = ReturnType<typeof createQuickClient>

const ANSWER_WITHIN_MS = 500
const RECONNECT_STEP_MS = 50
const RECONNECT_MOST_MS = 1_000
const SILENCE_LIMIT_MS = 6_000
const PING_EVERY_MS = 2_000

/** The server's own words for "not now". */
const NOT_NOW = /^(LOADING|OOM|MISCONF|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN)\b/

/**
 * One connection that never lets a caller hang. The client's own timeout covers only commands that are not
 * sent yet, so an answer that doesn't come in time ends the connection and a new one is opened: otherwise
 * commands to a server that is mute would pile up.
 */
export class RedisConnection implements AsyncDisposable {
  readonly #options: RedisOptions
  #client: RedisClient
  #isClosed = false

  constructor(options: RedisOptions) {
    this.#options = options
    this.#client = this.#open()
  }

  get isReady(): boolean {
    return this.#client.isReady
  }

  async ask<T>(command: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!client.isReady) throw new RedisUnavailable('Redis is not connected')
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      // If it was we who were busy, the answer lies in the socket already, and is read before this runs.
      setImmediate(() => late.reject(new RedisUnavailable('Redis did not answer in time')))
    }, this.#options.answerWithinMs ?? ANSWER_WITHIN_MS)
    try {
      return await Promise.race([command(client), late.promise])
    } catch (error) {
      if (error instanceof RedisUnavailable) {
        this.#renew(client)
        throw error
      }
      if (error instanceof ErrorReply && !NOT_NOW.test(error.message)) throw error
      throw new RedisUnavailable('Redis refused or lost the connection', { cause: error })
    } finally {
      clearTimeout(timer)
      late.promise.catch(() => {})
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#client.destroy()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #renew(mute: RedisClient): void {
    if (this.#client !== mute || this.#isClosed) return
    this.#client = this.#open()
    mute.destroy()
  }

  #open(): RedisClient {
    const client = createQuickClient(this.#options.url)
    const onTrouble = this.#options.onTrouble ?? (() => {})
    client.on('error', onTrouble)
    // Rejects only when we close it ourselves: a server that is away is tried again for ever.
    client.connect().catch(() => {})
    return client
  }
}

function createQuickClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    pingInterval: PING_EVERY_MS,
    commandOptions: { timeout: 0 },
    socket: {
      socketTimeout: SILENCE_LIMIT_MS,
      reconnectStrategy: (retries) => Math.min((retries + 1) * RECONNECT_STEP_MS, RECONNECT_MOST_MS),
    },
  })
}
