import { API_ERRORS, type ErrorCode } from '@bookreel/service/domain/api-error'
import type { ErrorExample } from '@bookreel/service/http/examples'
import type { ExampleValues } from './example-requests.ts'
import { type Received, type SentRequest, send } from './send.ts'
import type { SignedInUser } from './sender.ts'

/** Addresses, users and keys from which refused requests are sent. */
export interface RefusalScene {
  readonly address: string
  readonly keys: Readonly<Record<'free' | 'pro' | 'scale' | 'limited' | 'liveOnly' | 'busy', string>>
  /** On the free tier, with one key. */
  readonly freeUser: SignedInUser
  /** The id of that key. */
  readonly freeKeyId: string
  /** The tier of this account was set by an operator. */
  readonly arrangedUser: SignedInUser
  readonly operator: SignedInUser
  /** An operator who has not proved who they are within the last minutes. */
  readonly earlyOperator: SignedInUser
  readonly values: Pick<ExampleValues, 'MARKET' | 'PAST_MARKET' | 'HOUR'>
  /** A market that stays open for days. */
  readonly lastingMarket: string
  /** A time in a gap of the open market. */
  readonly timeInGap: string
  /** A process that requires HTTPS and has no identity provider. */
  readonly strictAddress: string
  /** A process without a payment processor. */
  readonly unpaidAddress: string
}

/** How the example of an error code is made. */
export interface Refusal {
  readonly code: ErrorCode
  /** Only where it is not the usual status of the code. */
  readonly status?: number
  /** The situation, for the documentation. */
  readonly when: string
  /** Default: the usual process. */
  to?(scene: RefusalScene): string
  request(scene: RefusalScene): Asked
  /** Requests that are sent before, one after the other or all at once. */
  before?(scene: RefusalScene): { readonly request: Asked; readonly times: number; readonly atOnce?: true }
}

export type Asked = Omit<SentRequest, 'method' | 'headers'> & Partial<SentRequest>

const MOST_BODY_SHOWN = 120
/** Headers that help the caller; the others are the same in every answer. */
const SHOWN_HEADERS = ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'WWW-Authenticate']
const MORE_SHOWN_HEADERS = ['Allow', 'Content-Range']

export async function recordRefusal(refusal: Refusal, scene: RefusalScene): Promise<ErrorExample> {
  const address = refusal.to?.(scene) ?? scene.address
  const before = refusal.before?.(scene)
  if (before !== undefined) {
    const requests = Array.from({ length: before.times }, () => complete(before.request))
    if (before.atOnce) await Promise.all(requests.map((each) => send(address, each)))
    else for (const each of requests) await send(address, each)
  }
  const request = complete(refusal.request(scene))
  return exampleOf(refusal, request, await send(address, request))
}

/** Throws when the answer has another code or status. */
export function exampleOf({ code, status, when }: Refusal, request: SentRequest, received: Received): ErrorExample {
  const answer = JSON.parse(received.text) as ErrorExample['answer']
  const expected = status ?? API_ERRORS[code].status
  if (answer.error !== code || received.status !== expected)
    throw new Error(`${code} (${expected}) was expected, but ${request.path} answered: ${received.text}`)
  const { method, path, headers, body } = request
  return {
    when,
    request: {
      method,
      path,
      headers: withoutSecrets(headers),
      ...(body !== undefined && { body: body.length > MOST_BODY_SHOWN ? `${body.slice(0, 40)}…` : body }),
    },
    status: received.status,
    headers: Object.fromEntries(
      [...SHOWN_HEADERS, ...MORE_SHOWN_HEADERS].flatMap((name) => {
        const value = received.headers[name.toLowerCase()]
        return value === undefined ? [] : [[name, value]]
      }),
    ),
    answer,
  }
}

function complete({ method = 'GET', headers = {}, ...rest }: Asked): SentRequest {
  return { method, headers, ...rest }
}

function withoutSecrets(headers: SentRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (name === 'X-API-Key') return [name, value.startsWith('br_live_') ? 'br_live_…' : value]
      return [name, name === 'Cookie' ? value.replace(/=.*/, '=…') : value]
    }),
  )
}
