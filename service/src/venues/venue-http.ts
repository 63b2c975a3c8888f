import { setTimeout as sleep } from 'node:timers/promises'
import { wallClock } from '../domain/clock.ts'
import { BackOff, retryAfterMs } from './back-off.ts'
import { USER_AGENT } from './user-agent.ts'

/** An HTTP error that a retry will not change. */
export class HttpRefusal extends Error {
  readonly status: number
  readonly host: string
  constructor(status: number, { host, pathname }: URL) {
    super(`${status} for ${pathname}`)
    this.status = status
    this.host = host
  }
}

export interface HttpLimits {
  tries: number
  /** Timeout of one try. */
  timeLimitMs: number
  firstWaitMs: number
  /** A longer answer is a failure. */
  maxBytes: number
}

const DEFAULT_LIMITS: HttpLimits = { tries: 5, timeLimitMs: 10_000, firstWaitMs: 500, maxBytes: 64 * 1024 * 1024 }

/** Called with every answer of the venue; the path has its query. */
export type OnAnswer = (path: string, text: string) => void

/** REST client of one venue: sends a User-Agent, obeys Retry-After, and retries temporary failures. */
export class VenueHttp {
  readonly #base: string
  readonly #limits: HttpLimits
  readonly #onAnswer: OnAnswer | undefined

  constructor(base: string, limits: Partial<HttpLimits> = {}, onAnswer?: OnAnswer) {
    this.#base = base
    this.#onAnswer = onAnswer
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  get(path: string, signal: AbortSignal): Promise<string> {
    return this.#request(path, {}, signal)
  }

  post(path: string, body: unknown, signal: AbortSignal): Promise<string> {
    return this.#request(path, { method: 'POST', body: JSON.stringify(body) }, signal)
  }

  async #request(path: string, request: RequestInit, signal: AbortSignal): Promise<string> {
    const url = new URL(`${this.#base}${path}`)
    const backOff = new BackOff({ firstMs: this.#limits.firstWaitMs })
    for (let tryNumber = 1; ; tryNumber++) {
      const { text, problem, cause, waitMs } = await this.#try(url, request, signal)
      if (text !== undefined) {
        this.#onAnswer?.(path, text)
        return text
      }
      signal.throwIfAborted()
      if (tryNumber >= this.#limits.tries) {
        const failure = new Error(`${url.pathname}: ${problem}, ${tryNumber} times`, { cause })
        throw Object.assign(failure, { host: url.host })
      }
      await sleep(Math.max(waitMs, backOff.nextMs()), undefined, { signal })
    }
  }

  async #try(
    url: URL,
    request: RequestInit,
    signal: AbortSignal,
  ): Promise<{ text?: string; problem: string; cause?: unknown; waitMs: number }> {
    try {
      const answer = await fetch(url, {
        ...request,
        headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT },
        // A venue must not choose which hosts we connect to.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.#limits.timeLimitMs)]),
      })
      const text = await boundedText(answer, this.#limits.maxBytes)
      if (answer.ok) return { text, problem: '', waitMs: 0 }
      const { status } = answer
      if (status !== 429 && status !== 408 && status < 500) throw new HttpRefusal(status, url)
      return { problem: `status ${status}`, waitMs: retryAfterMs(answer.headers.get('retry-after'), wallClock()) }
    } catch (error) {
      if (error instanceof HttpRefusal) throw error
      return { problem: error instanceof Error ? error.message : String(error), cause: error, waitMs: 0 }
    }
  }
}

async function boundedText(answer: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength
    if (bytes > maxBytes) throw new RangeError(`the answer has more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
