import type { z } from 'zod'

/** The processor is unreachable, too slow, or sent an invalid reply. The request may have been executed. */
export class ProcessorAway extends Error {
  override readonly name = 'ProcessorAway'
}

/** The processor refused the request, and a retry would be refused too. */
export class ProcessorRefusal extends Error {
  override readonly name = 'ProcessorRefusal'
  readonly status: number
  constructor(status: number, path: string) {
    super(`payment processor answered ${status} for ${path}`)
    this.status = status
  }
}

export interface ProcessorHttpOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Default 5000. */
  readonly answerWithinMs?: number
}

const ANSWER_WITHIN_MS = 5_000
const MAX_BYTES = 256 * 1024
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429])

/** HTTP client of one processor. It never retries, because only its user knows whether a retry is safe. */
export class ProcessorHttp {
  readonly #options: ProcessorHttpOptions

  constructor(options: ProcessorHttpOptions) {
    this.#options = options
  }

  get<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    return this.#request(path, schema, {}, signal)
  }

  post<T>(path: string, body: unknown, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    return this.#request(path, schema, { method: 'POST', body: JSON.stringify(body) }, signal)
  }

  async #request<T>(path: string, schema: z.ZodType<T>, request: RequestInit, signal?: AbortSignal): Promise<T> {
    const { url, headers, answerWithinMs = ANSWER_WITHIN_MS } = this.#options
    const place = path.split('?')[0] ?? path
    const limit = AbortSignal.timeout(answerWithinMs)
    let status: number
    let text: string
    try {
      const answer = await fetch(`${url.replace(/\/$/, '')}${path}`, {
        ...request,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        // A redirect would send the API key to another host.
        redirect: 'error',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      status = answer.status
      text = await boundedText(answer)
    } catch (error) {
      throw new ProcessorAway(`payment processor did not answer ${place}`, { cause: error })
    }
    if (status >= 500 || RETRYABLE.has(status))
      throw new ProcessorAway(`payment processor answered ${status} for ${place}`)
    if (status >= 400) throw new ProcessorRefusal(status, place)
    return parseReply(text, schema, place)
  }
}

async function boundedText(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength
    if (bytes > MAX_BYTES) throw new RangeError('the reply of the payment processor is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parseReply<T>(text: string, schema: z.ZodType<T>, place: string): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new ProcessorAway(`payment processor sent an invalid reply for ${place}`, { cause: error })
  }
}
