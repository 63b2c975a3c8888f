import { request } from 'node:http'

export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends any header, also `Host`, which `fetch` would replace. */
export async function send(address: string, { method, path, headers, body }: SentRequest): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const sending = request(`${address}${path}`, { method, headers, agent: false }, (answer) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (part: string) => (text += part)).on('error', reject)
    answer.on('end', () =>
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers as Record<string, string>, text }),
    )
  })
  sending.on('error', reject).end(body)
  return promise
}
