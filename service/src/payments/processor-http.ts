import type { z } from 'zod'

/** Not now: it can't be reached, is too slow, or says nothing that can be understood. What was asked may have happened. */
export class ProcessorAway extends Error {
  override readonly name = 'ProcessorAway'
}

/** An answer that no repetition will change. */
export class ProcessorRefusal extends Error {
  override readonly name = 'ProcessorRefusal'
  readonly status: number
  constructor(status: number, path: string) {
    super(`${status} for ${path}`)
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
const MOST_BYTES = 256 * 1024
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429])

/** One processor over REST. It is asked once: whoever asks knows whether asking again is right. */
export class ProcessorHttp {
  readonly #options: ProcessorHttpOptions

  constructor(options: ProcessorHttpOptions) {
    this.#options = options
  }

  get<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    return this.#ask(path, schema, {}, signal)
  }

  post<T>(path: string, body: unknown, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> {
    return this.#ask(path, schema, { method: 'POST', body: JSON.stringify(body) }, signal)
  }

  async #ask<T>(path: string, schema: z.ZodType<T>, request: RequestInit, signal?: AbortSignal): Promise<T> {
    const { url, headers, answerWithinMs = ANSWER_WITHIN_MS } = this.#options
    const place = path.split('?')[0] ?? path
    const limit = AbortSignal.timeout(answerWithinMs)
    let status: number
    let text: string
    try {
      const answer = await fetch(`${url.replace(/\/$/, '')}${path}`, {
        ...request,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        // The secret in the headers is for this host alone.
        redirect: 'error',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      status = answer.status
      text = await boundedText(answer)
    } catch (error) {
      throw new ProcessorAway(`no answer for ${place}`, { cause: error })
    }
    if (status >= 500 || NOT_NOW.has(status)) throw new ProcessorAway(`${status} for ${place}`)
    if (status >= 400) throw new ProcessorRefusal(status, place)
    return understand(text, schema, place)
  }
}

async function boundedText(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength
    if (bytes > MOST_BYTES) throw new RangeError('the answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function understand<T>(text: string, schema: z.ZodType<T>, place: string): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new ProcessorAway(`an answer for ${place} that can't be understood`, { cause: error })
  }
}
