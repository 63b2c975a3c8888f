import { randomUUID } from 'node:crypto'
import http, { type Agent, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { ClickHouseError, parseError } from '@clickhouse/client'
import { ApiError } from '../../domain/api-error.ts'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'
import { currentCaller, EVERYBODY } from './waiting-caller.ts'

export interface ClickHouseQuery {
  /** Includes FORMAT. */
  readonly query: string
  readonly query_params?: Record<string, unknown>
  readonly clickhouse_settings?: Record<string, string | number>
  /** Default: the signal of the caller that waits for it. */
  readonly abort_signal?: AbortSignal
  /** Rows that are sent with the query, which reads them as a table. */
  readonly sent?: SentRows
}

/** Rows in the body of a request, which, unlike parameters, may be of any size. */
export interface SentRows {
  /** The name of the table in the query. */
  readonly table: string
  /** Such as `slot UInt64, cause String`. */
  readonly structure: string
  /** A line of JSON for each row; called again when the request is repeated. */
  readonly lines: () => AsyncIterable<string>
}

/** Read access to ClickHouse; the official client implements it too. */
export interface ClickHouseReads {
  exec(query: ClickHouseQuery): Promise<{ readonly stream: Readable }>
}

export interface ClickHouseReaderOptions {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly database: string
  /** Settings of every query. */
  readonly settings: Record<string, string | number>
  /** Socket timeout. */
  readonly answerWithinMs: number
  /** Default: `READS`. */
  readonly limits?: FairQueueLimits
}

/** Queries of a process. Further ones wait here, because the server would refuse them. */
const READS: FairQueueLimits = { places: 10, placesOfAccount: 4, waiting: 10_000, waitingOfAccount: 1_000 }
const QUOTA_EXCEEDED = '201'
/** A quota counts whole minutes. */
const QUOTA_SECONDS = 60

/**
 * Sends queries over plain HTTP, those of each account in its turn. The official client waits for a timer before each
 * query, in case the server is about to close the connection; this client retries such a query instead, which is safe
 * for reads.
 */
export class ClickHouseReader implements ClickHouseReads {
  readonly #protocol: typeof http | typeof https
  readonly #agent: Agent
  readonly #target: Pick<URL, 'hostname' | 'port'>
  readonly #path: string
  readonly #headers: Record<string, string>
  readonly #answerWithinMs: number
  readonly #queue: FairQueue
  /** The reads of one process for everybody never reach the quota of an account. */
  readonly #ownQuotaKey = randomUUID()

  constructor(options: ClickHouseReaderOptions) {
    const { url, username, password, database, settings, answerWithinMs, limits = READS } = options
    const { protocol, hostname, port, pathname } = new URL(url)
    this.#protocol = protocol === 'https:' ? https : http
    this.#agent = new this.#protocol.Agent({ keepAlive: true, maxSockets: limits.places })
    this.#target = { hostname, port }
    this.#path = `${pathname}?${searchOf('', { database, ...settings })}`
    this.#headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': password }
    this.#answerWithinMs = answerWithinMs
    this.#queue = new FairQueue(limits)
  }

  async exec(query: ClickHouseQuery): Promise<{ readonly stream: Readable }> {
    const response = await this.#send(query).catch((error: unknown) =>
      isConnectionReset(error) ? this.#send(query) : Promise.reject(error),
    )
    if (response.statusCode === 200) return { stream: response }
    throw refusalOf(parseError(await text(response)))
  }

  close(): void {
    this.#agent.destroy()
  }

  async #send({ query, query_params = {}, clickhouse_settings = {}, abort_signal, sent }: ClickHouseQuery) {
    const { account, signal: left } = currentCaller()
    const signal = abort_signal ?? left
    const rows = sent === undefined ? '' : searchOfSent(query, sent)
    const params = `${searchOf('', clickhouse_settings)}${searchOf('param_', query_params)}${rows}`
    const headers = {
      ...this.#headers,
      'x-clickhouse-quota': account === EVERYBODY ? this.#ownQuotaKey : account,
      ...(sent
        ? { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
        : { 'content-length': Buffer.byteLength(query) }),
    }
    const giveBack = await this.#queue.take(account, signal)
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#protocol.request({
        ...this.#target,
        method: 'POST',
        path: `${this.#path}${params}`,
        headers,
        agent: this.#agent,
        timeout: this.#answerWithinMs,
      })
      let isAnswered = false
      const cancel = (): void => {
        reject(signal?.reason)
        // The server ends the query of a client that has closed its side, and closes its own when the query has ended.
        if (request.writableFinished && !isAnswered) request.socket?.end()
        else request.destroy()
      }
      signal?.addEventListener('abort', cancel, { once: true })
      request.on('response', (response) => {
        isAnswered = true
        if (signal?.aborted) response.resume()
        else resolve(response)
      })
      request.on('close', () => {
        signal?.removeEventListener('abort', cancel)
        giveBack()
      })
      request.on('error', reject)
      request.on('timeout', () => request.destroy(new Error('Timeout error: ClickHouse did not answer')))
      if (sent === undefined) request.end(query)
      else pipeline(Readable.from(bodyOf(sent)), request).catch(reject)
    })
  }
}

const BOUNDARY = 'rows-of-a-table'

/** The body has the rows, so the query is in the address. */
function searchOfSent(query: string, { table, structure }: SentRows): string {
  const columns = encodeURIComponent(structure)
  return `query=${encodeURIComponent(query)}&${table}_structure=${columns}&${table}_format=JSONEachRow`
}

async function* bodyOf({ table, lines }: SentRows): AsyncGenerator<string> {
  yield `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${table}"; filename="${table}"\r\n\r\n`
  yield* lines()
  yield `\r\n--${BOUNDARY}--\r\n`
}

function searchOf(prefix: string, values: Readonly<Record<string, unknown>>): string {
  let text = ''
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) text += `${prefix}${name}=${encodeURIComponent(literalOf(value))}&`
  }
  return text
}

/** The text of a query parameter: escaped, and quoted within lists. */
function literalOf(value: unknown, isInList = false): string {
  if (Array.isArray(value)) return `[${value.map((each) => literalOf(each, true)).join(',')}]`
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'string') throw new TypeError(`a value of type ${typeof value} cannot be a query parameter`)
  const escaped = value.toWellFormed().replaceAll(/[\\\t\n\r']/g, (letter) => ESCAPES[letter] ?? letter)
  return isInList ? `'${escaped}'` : escaped
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'" }

function refusalOf(error: Error): Error {
  if (!(error instanceof ClickHouseError) || error.code !== QUOTA_EXCEEDED) return error
  const message = `This account has read as much as it may in a minute; callers without a key are one account. Try again in ${QUOTA_SECONDS} s, or read shorter ranges.`
  const details = { reset_seconds: QUOTA_SECONDS }
  return new ApiError('rate_limited', message, { retryAfterSeconds: QUOTA_SECONDS, details, cause: error })
}

function isConnectionReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
