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
export function failureOf(error: unknown, program: string, settings: Settings | undefined): Failure {
  if (error instanceof WrongUse) return { exitCode: EXIT.wrongUse, message: error.message }
  if (error instanceof NothingFound) return { exitCode: EXIT.notFound, message: error.message }
  if (error instanceof BookreelError) {
    return { exitCode: exitCodeOf(error), message: messageOf(error, hintOf(error, program, settings)) }
  }
  return { exitCode: EXIT.failure, message: error instanceof Error ? error.message : String(error) }
}

function exitCodeOf({ code, status }: BookreelError): ExitCode {
  if (status === 401 || status === 402 || status === 403 || NOT_ALLOWED.has(code)) return EXIT.notAllowed
  if (status === 404 || NOT_FOUND.has(code)) return EXIT.notFound
  if (status === 400 || code === 'invalid_request') return EXIT.wrongUse
  return EXIT.failure
}

/** The code, what happened, and what to do. */
function messageOf(error: BookreelError, hint: string): string {
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`
  const request = error.status === 500 && error.requestId !== undefined ? ` (request ${error.requestId})` : ''
  return `${error.code}: ${message}${request}${hint === '' ? '' : ` ${hint}`}`
}

function hintOf({ code, details }: BookreelError, program: string, settings: Settings | undefined): string {
  const url = settings?.url ?? ''
  switch (code) {
    case 'unauthenticated':
      return settings?.key === undefined
        ? `No API key is set: create one at ${url}/app/keys, then run: ${program} key set`
        : `${url} does not accept the key from ${settings.keyFrom}; create another one at ${url}/app/keys.`
    case 'out_of_credits':
      return `Buy credits at ${url}/app/billing.`
    case 'tier_not_allowed':
    case 'scope_not_allowed':
      return `Show the limits of the key with: ${program} limits`
    case 'market_not_found':
    case 'slug_not_found':
      return candidatesIn(details, program)
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

function candidatesIn(details: BookreelError['details'], program: string): string {
  const candidates = Array.isArray(details?.candidates) ? details.candidates : []
  const slugs = candidates.map((each) => (typeof each === 'string' ? each : String(each?.slug ?? ''))).filter(Boolean)
  return slugs.length === 0
    ? `List the markets with: ${program} markets`
    : `Did you mean ${slugs.slice(0, 3).join(', ')}?`
}
