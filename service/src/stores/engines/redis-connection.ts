import { createClient, ErrorReply } from '@redis/client'

/** Redis is away, busy or too slow. The command may or may not have been executed. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

export interface RedisOptions {
  readonly url: string
  /** Timeout of a command; default 500. */
  readonly answerWithinMs?: number
  /** Called when a connection is lost; it is reopened automatically. */
  readonly onTrouble?: (error: Error) => void
}

export type RedisClient = ReturnType<typeof createQuickClient>

const ANSWER_WITHIN_MS = 500
const RECONNECT_STEP_MS = 50
const RECONNECT_MAX_MS = 1_000
const SILENCE_LIMIT_MS = 6_000
const PING_EVERY_MS = 2_000

/** Error codes of Redis that are temporary. */
const TEMPORARY = /^(LOADING|OOM|MISCONF|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN)\b/

/**
 * One connection with a timeout for every command. The timeout of the client covers only commands that are not sent
 * yet, so a late reply closes the connection and opens a new one; otherwise commands to a hanging server would pile up.
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
      // If this process was busy, the reply is already in the socket and is read before this runs.
      setImmediate(() => late.reject(new RedisUnavailable('Redis did not answer in time')))
    }, this.#options.answerWithinMs ?? ANSWER_WITHIN_MS)
    try {
      return await Promise.race([command(client), late.promise])
    } catch (error) {
      if (error instanceof RedisUnavailable) {
        this.#renew(client)
        throw error
      }
      if (error instanceof ErrorReply && !TEMPORARY.test(error.message)) throw error
      throw new RedisUnavailable('the connection to Redis was refused or lost', { cause: error })
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

  #renew(hanging: RedisClient): void {
    if (this.#client !== hanging || this.#isClosed) return
    this.#client = this.#open()
    hanging.destroy()
  }

  #open(): RedisClient {
    const client = createQuickClient(this.#options.url)
    const onTrouble = this.#options.onTrouble ?? (() => {})
    client.on('error', onTrouble)
    // Rejects only after `destroy`: the client reconnects without a limit of attempts.
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
      reconnectStrategy: (retries) => Math.min((retries + 1) * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
    },
  })
}
