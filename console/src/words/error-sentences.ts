import type { KnownErrorCode } from '@bookreel/sdk'

interface ErrorWords {
  /** What happened. */
  readonly title: string
  /** What to do; `service` when the message of the service says it with the facts of this request. */
  readonly next: string
}

const SERVICE = 'service'

/** The compiler requires an entry for every code. */
const SENTENCES: Readonly<Record<KnownErrorCode, ErrorWords>> = {
  invalid_request: { title: 'The request was not accepted.', next: SERVICE },
  sign_in_failed: { title: 'The sign-in failed.', next: 'Sign in again.' },
  unauthenticated: { title: 'You are not signed in.', next: 'Sign in; you return to this page.' },
  signature_refused: { title: 'A signature was not accepted.', next: SERVICE },
  out_of_credits: { title: 'There are not enough credits.', next: SERVICE },
  tier_not_allowed: { title: 'Your tier does not include this.', next: SERVICE },
  scope_not_allowed: { title: 'This needs another scope.', next: SERVICE },
  rotation_running: {
    title: 'The former secret of this key still works.',
    next: 'Wait until it ends, or rotate without an overlap, which ends both earlier secrets.',
  },
  key_limit_reached: { title: 'Your tier allows no more keys.', next: SERVICE },
  cross_site_refused: {
    title: 'The service took this for a request of another site.',
    next: 'Open the console at the public address of the service, then try again.',
  },
  sign_in_again: {
    title: 'A change needs a sign-in within the last 15 minutes.',
    next: 'Sign in again; you return to this page. Nothing was changed.',
  },
  host_not_allowed: { title: 'The service does not answer under this host name.', next: SERVICE },
  https_required: { title: 'This service needs HTTPS.', next: 'Open the console with https:// in the address.' },
  market_not_found: { title: 'There is no such market.', next: 'Check the address, or search with /.' },
  slug_not_found: { title: 'There is no market with this name.', next: 'Check the address, or search with /.' },
  event_not_found: { title: 'There is no such event.', next: 'Check the address, or search with /.' },
  no_recent_data: { title: 'This market has no recent data.', next: 'Its history can still be read.' },
  no_data_at_time: { title: 'Nothing was recorded at this time.', next: 'Choose another time.' },
  no_snapshot: { title: 'There is no snapshot.', next: 'Choose another market or time.' },
  market_closed: { title: 'This market has ended.', next: 'Its history can still be read.' },
  sample_not_found: { title: 'There is no such sample.', next: 'Choose one of the list.' },
  key_not_found: { title: 'This key does not exist any more.', next: 'It may have been revoked in another window.' },
  invoice_not_found: { title: 'There is no such invoice.', next: 'Your invoices are on the page Billing.' },
  review_not_found: {
    title: 'This review is not open any more.',
    next: 'Somebody may have resolved it. Reload the list.',
  },
  account_not_found: { title: 'There is no such account.', next: 'Search for it by name, e-mail address or key.' },
  file_not_found: { title: 'There is no such file.', next: 'Choose one of the list.' },
  not_found: {
    title: 'The service does not know this request.',
    next: 'The console may be newer or older than the service. Reload the page.',
  },
  method_not_allowed: {
    title: 'The service does not know this request.',
    next: 'The console may be newer or older than the service. Reload the page.',
  },
  idempotency_mismatch: { title: 'This request was changed while it was repeated.', next: 'Try again.' },
  idempotency_spent: { title: 'This request was repeated too often.', next: 'Try again.' },
  hour_not_finished: { title: 'This hour is not finished yet.', next: SERVICE },
  invoice_limit_reached: { title: 'You have created too many invoices.', next: SERVICE },
  plan_arranged: { title: 'Your tier was set by the operator.', next: SERVICE },
  payload_too_large: { title: 'The request is too large.', next: SERVICE },
  unsupported_media_type: {
    title: 'The service does not know this kind of request.',
    next: 'The console may be newer or older than the service. Reload the page.',
  },
  range_not_satisfiable: { title: 'This part of the file does not exist.', next: 'Start the download again.' },
  rate_limited: { title: 'There were too many requests.', next: SERVICE },
  internal: { title: 'The service failed.', next: 'Try again. If it happens again, report the request id.' },
  store_unavailable: {
    title: 'A part of the service is unavailable.',
    next: 'Nothing was charged. Try again in a few seconds.',
  },
  sign_in_not_configured: {
    title: 'This service has no sign-in.',
    next: 'The public pages and the API work. The operator can configure an identity provider.',
  },
  sign_in_unavailable: { title: 'The identity provider does not answer.', next: 'Try again in a minute.' },
  payments_not_configured: { title: 'Nothing can be bought here.', next: 'Contact the operator of this service.' },
  processor_unavailable: {
    title: 'The payment processor does not answer.',
    next: 'No invoice was created. Try again in a few seconds.',
  },
  overloaded: { title: 'The service is busy.', next: 'Try again in a few seconds.' },
  network: {
    title: 'The service cannot be reached.',
    next: 'Check your connection, then try again.',
  },
  timeout: { title: 'The service did not answer in time.', next: 'Try again.' },
  redirected: { title: 'The service has moved.', next: 'Open its new address.' },
  unexpected_answer: { title: 'The answer is not from this service.', next: 'Check proxies between you and it.' },
  corrupt_file: { title: 'The file arrived damaged.', next: 'Download it again.' },
  no_websocket: { title: 'This browser has no WebSocket.', next: 'Use a current browser.' },
  slow_reader: { title: 'Your computer was too slow for the stream.', next: 'Close other tabs, then reload the page.' },
}

export interface ErrorText {
  readonly title: string
  readonly next: string
}

/** Codes of a newer service are shown with its own message. */
export function errorText(code: string, message: string): ErrorText {
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code as KnownErrorCode] : undefined
  if (known === undefined) return { title: 'The request failed.', next: message === '' ? `Code: ${code}.` : message }
  return { title: known.title, next: known.next === SERVICE ? asSentence(message) : known.next }
}

/** Messages about a parameter begin with its name and have no full stop. */
function asSentence(message: string): string {
  return /[.!?)]$/.test(message) ? message : `${message}.`
}

export const KNOWN_ERROR_CODES = Object.keys(SENTENCES) as readonly KnownErrorCode[]
