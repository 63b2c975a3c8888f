import http, { type Agent, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseError } from '@clickhouse/client'

export interface ClickHouseQuestion {
  /** With its FORMAT. */
  readonly query: string
  readonly query_params?: Record<string, unknown>
  readonly clickhouse_settings?: Record<string, string | number>
  readonly abort_signal?: AbortSignal
}

/** All that a store needs that only reads. The official client is one too. */
export interface ClickHouseReads {
  exec(question: ClickHouseQuestion): Promise<{ readonly stream: Readable }>
}

export interface ClickHouseReaderOptions {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly database: string
  /** For every question. */
  readonly settings: Record<string, string | number>
  /** How long it may stay silent. */
  readonly answerWithinMs: number
}

/** Of one process; the others wait here, not in the server, which would refuse them. */
const MOST_AT_ONCE = 10

/**
 * Asks over plain HTTP. The official client lets a timer pass before each question, in fear of connections that the
 * server is about to close; here such a question is asked again, which whoever only reads may do.
 */
export class ClickHouseReader implements ClickHouseReads {
  readonly #door: typeof http | typeof https
  readonly #agent: Agent
  readonly #target: Pick<URL, 'hostname' | 'port'>
  readonly #path: string
  readonly #headers: Record<string, string>
  readonly #answerWithinMs: number

  constructor({ url, username, password, database, settings, answerWithinMs }: ClickHouseReaderOptions) {
    const { protocol, hostname, port, pathname } = new URL(url)
    this.#door = protocol === 'https:' ? https : http
    this.#agent = new this.#door.Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE })
    this.#target = { hostname, port }
    this.#path = `${pathname}?${searchOf('', { database, ...settings })}`
    this.#headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': password }
    this.#answerWithinMs = answerWithinMs
  }

  async exec(question: ClickHouseQuestion): Promise<{ readonly stream: Readable }> {
    const answer = await this.#ask(question).catch((error: unknown) =>
      isHungUp(error) ? this.#ask(question) : Promise.reject(error),
    )
    if (answer.statusCode === 200) return { stream: answer }
    throw parseError(await text(answer))
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask({ query, query_params = {}, clickhouse_settings = {}, abort_signal }: ClickHouseQuestion) {
    const params = `${searchOf('', clickhouse_settings)}${searchOf('param_', query_params)}`
    return new Promise<IncomingMessage>((resolve, reject) => {
      const asked = this.#door.request(
        {
          ...this.#target,
          method: 'POST',
          path: `${this.#path}${params}`,
          headers: { ...this.#headers, 'content-length': Buffer.byteLength(query) },
          agent: this.#agent,
          timeout: this.#answerWithinMs,
          ...(abort_signal && { signal: abort_signal }),
        },
        resolve,
      )
      asked.on('error', reject)
      asked.on('timeout', () => asked.destroy(new Error('Timeout error: ClickHouse did not answer')))
      asked.end(query)
    })
  }
}

function searchOf(prefix: string, values: Readonly<Record<string, unknown>>): string {
  let text = ''
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) text += `${prefix}${name}=${encodeURIComponent(literalOf(value))}&`
  }
  return text
}

/** A bound value as the server reads it: its own escapes outside of lists, quotes around texts within. */
function literalOf(value: unknown, isInList = false): string {
  if (Array.isArray(value)) return `[${value.map((each) => literalOf(each, true)).join(',')}]`
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'string') throw new TypeError(`${typeof value} can't be bound`)
  const escaped = value.toWellFormed().replaceAll(/[\\\t\n\r']/g, (letter) => ESCAPES[letter] ?? letter)
  return isInList ? `'${escaped}'` : escaped
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'" }

function isHungUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
