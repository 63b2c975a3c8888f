import http, { type Agent, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { parseError } from '@clickhouse/client'
import { callerSignal } from './waiting-caller.ts'

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
}

/** Further queries of this process wait here, because the server would refuse them. */
const MAX_CONNECTIONS = 10

/**
 * Sends queries over plain HTTP. The official client waits for a timer before each query, in case the server is about
 * to close the connection; this client retries such a query instead, which is safe for reads.
 */
export class ClickHouseReader implements ClickHouseReads {
  readonly #protocol: typeof http | typeof https
  readonly #agent: Agent
  readonly #target: Pick<URL, 'hostname' | 'port'>
  readonly #path: string
  readonly #headers: Record<string, string>
  readonly #answerWithinMs: number

  constructor({ url, username, password, database, settings, answerWithinMs }: ClickHouseReaderOptions) {
    const { protocol, hostname, port, pathname } = new URL(url)
    this.#protocol = protocol === 'https:' ? https : http
    this.#agent = new this.#protocol.Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS })
    this.#target = { hostname, port }
    this.#path = `${pathname}?${searchOf('', { database, ...settings })}`
    this.#headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': password }
    this.#answerWithinMs = answerWithinMs
  }

  async exec(given: ClickHouseQuery): Promise<{ readonly stream: Readable }> {
    const signal = given.abort_signal ?? callerSignal()
    const query = { ...given, ...(signal && { abort_signal: signal }) }
    const response = await this.#send(query).catch((error: unknown) =>
      isConnectionReset(error) ? this.#send(query) : Promise.reject(error),
    )
    if (response.statusCode === 200) return { stream: response }
    throw parseError(await text(response))
  }

  close(): void {
    this.#agent.destroy()
  }

  #send({ query, query_params = {}, clickhouse_settings = {}, abort_signal, sent }: ClickHouseQuery) {
    const rows = sent === undefined ? '' : searchOfSent(query, sent)
    const params = `${searchOf('', clickhouse_settings)}${searchOf('param_', query_params)}${rows}`
    const headers = sent
      ? { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
      : { 'content-length': Buffer.byteLength(query) }
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#protocol.request(
        {
          ...this.#target,
          method: 'POST',
          path: `${this.#path}${params}`,
          headers: { ...this.#headers, ...headers },
          agent: this.#agent,
          timeout: this.#answerWithinMs,
          ...(abort_signal && { signal: abort_signal }),
        },
        resolve,
      )
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

function isConnectionReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
