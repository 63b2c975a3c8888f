import { setTimeout as sleep } from 'node:timers/promises'
import { ErrorReply } from '@redis/client'
import { createRedisClient, isCluster, type RedisClient } from './redis-client.ts'

/** Redis is away, busy or too slow. The command may or may not have been executed. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

export interface RedisOptions {
  /** Addresses of a cluster are separated by commas. */
  readonly url: string
  /** Timeout of a command; default 500. */
  readonly answerWithinMs?: number
  /** Called when a connection is lost; it is reopened automatically. */
  readonly onTrouble?: (error: Error) => void
}

const ANSWER_WITHIN_MS = 500
const CONNECT_WITHIN_MS = 5_000
const CONNECT_AGAIN_AFTER_MS = 250
/** One master of a cluster that hangs must not cost the connections to the others. Its own ends by silence. */
const LATE_REPLIES_OF_A_CLUSTER = 200

/** Error codes of Redis that are temporary; TRYAGAIN is the answer while a slot of a cluster moves. */
const TEMPORARY = /^(LOADING|OOM|MISCONF|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/

/**
 * One connection, or one to each master of a cluster, with a timeout for every command. The timeout of the client covers
 * only commands that are not sent yet, so late replies close the connection and open a new one; otherwise commands to a
 * hanging server would pile up.
 */
export class RedisConnection implements AsyncDisposable {
  readonly #options: RedisOptions
  #client: RedisClient
  /** Commands of this client that were given up and still have no reply. */
  #lateReplies = 0
  #isClosed = false

  constructor(options: RedisOptions) {
    this.#options = options
    this.#client = this.#open()
  }

  get isReady(): boolean {
    return this.#client.isReady
  }

  get isCluster(): boolean {
    return isCluster(this.#client)
  }

  async ask<T>(command: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!client.isReady) throw new RedisUnavailable('Redis is not connected')
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      // If this process was busy, the reply is already in the socket and is read before this runs.
      setImmediate(() => late.reject(new RedisUnavailable('Redis did not answer in time')))
    }, this.#options.answerWithinMs ?? ANSWER_WITHIN_MS)
    const reply = command(client)
    try {
      return await Promise.race([reply, late.promise])
    } catch (error) {
      if (error instanceof RedisUnavailable) {
        this.#giveUp(client, reply)
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

  #giveUp(client: RedisClient, reply: Promise<unknown>): void {
    if (this.#client !== client) return
    this.#lateReplies += 1
    if (!isCluster(client) || this.#lateReplies >= LATE_REPLIES_OF_A_CLUSTER) return this.#renew(client)
    const settle = (): void => {
      if (this.#client === client) this.#lateReplies -= 1
    }
    reply.then(settle, settle)
  }

  #renew(hanging: RedisClient): void {
    if (this.#client !== hanging || this.#isClosed) return
    this.#client = this.#open()
    hanging.destroy()
  }

  #open(): RedisClient {
    this.#lateReplies = 0
    const client = createRedisClient(this.#options.url)
    const onTrouble = this.#options.onTrouble ?? (() => {})
    client.on('error', onTrouble)
    if (isCluster(client)) {
      client.on('node-error', onTrouble)
      void this.#connectCluster(client)
    }
    // Rejects only after `destroy`: the client reconnects without a limit of attempts.
    else client.connect().catch(() => {})
    return client
  }

  /** The client waits for every master that it was told of, also for one that was replaced in the meantime. */
  async #connectCluster(client: RedisClient): Promise<void> {
    const connected = client.connect().then(
      () => true,
      () => sleep(CONNECT_AGAIN_AFTER_MS, false),
    )
    const isConnected = await Promise.race([connected, sleep(CONNECT_WITHIN_MS, false, { ref: false })])
    if (!isConnected) this.#renew(client)
  }
}
