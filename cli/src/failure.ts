import { BookreelError } from '@bookreel/sdk'
import { EXIT, type ExitCode, NothingFound, WrongUse } from './exit-codes.ts'
import type { Settings } from './settings.ts'

export interface Failure {
  readonly exitCode: ExitCode
  /** What happened, and what to do about it. */
  readonly message: string
}

/** Errors of a stream have no HTTP status, so their codes decide. */
const NOT_ALLOWED = new Set(['unauthenticated', 'out_of_credits', 'tier_not_allowed', 'scope_not_allowed'])
const NOT_FOUND = new Set(['market_not_found', 'slug_not_found', 'market_closed', 'no_recent_data', 'no_data_at_time'])

/** Turns an error into an exit code and a message for the user. */
export function failureOf(error: unknown, settings: Settings | undefined): Failure {
  if (error instanceof WrongUse) return { exitCode: EXIT.wrongUse, message: error.message }
  if (error instanceof NothingFound) return { exitCode: EXIT.notFound, message: error.message }
  if (error instanceof BookreelError) return { exitCode: exitCodeOf(error), message: messageOf(error, settings) }
  return { exitCode: EXIT.failure, message: error instanceof Error ? error.message : String(error) }
}

function exitCodeOf({ code, status }: BookreelError): ExitCode {
  if (status === 401 || status === 402 || status === 403 || NOT_ALLOWED.has(code)) return EXIT.notAllowed
  if (status === 404 || NOT_FOUND.has(code)) return EXIT.notFound
  if (status === 400 || code === 'invalid_request') return EXIT.wrongUse
  return EXIT.failure
}

function messageOf(error: BookreelError, settings: Settings | undefined): string {
  const hint = hintOf(error, settings)
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`
  const request = error.status === 500 && error.requestId !== undefined ? ` (request ${error.requestId})` : ''
  return `${message}${request}${hint === '' ? '' : ` ${hint}`}`
}

function hintOf({ code, details }: BookreelError, settings: Settings | undefined): string {
  const url = settings?.url ?? ''
  switch (code) {
    case 'unauthenticated':
      return settings?.key === undefined
        ? `No API key is set: create one at ${url}/account, then run: bookreel key set`
        : `${url} does not accept the key from ${settings.keyFrom}; create another one at ${url}/account.`
    case 'out_of_credits':
      return `Buy credits at ${url}/account.`
    case 'tier_not_allowed':
      return `Show the limits of the key with: bookreel limits`
    case 'slug_not_found':
      return candidatesIn(details)
    case 'network':
    case 'timeout':
    case 'unexpected_answer':
      return `Check that ${url} is the right address; set it with --url or BOOKREEL_URL.`
    case 'market_closed':
      return 'Recorded data is still available: try snapshots, bars, replay or download.'
    default:
      return ''
  }
}

function candidatesIn(details: BookreelError['details']): string {
  const candidates = Array.isArray(details?.candidates) ? details.candidates : []
  const slugs = candidates.map((each) => (typeof each === 'string' ? each : String(each?.slug ?? ''))).filter(Boolean)
  return slugs.length === 0
    ? 'List the markets with: bookreel markets'
    : `Did you mean ${slugs.slice(0, 3).join(', ')}?`
}
