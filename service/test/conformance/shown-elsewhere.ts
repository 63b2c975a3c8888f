import type { ErrorCode } from '../../src/domain/api-error.ts'
import { namedTest } from './statement.ts'

/** Facts of the WebSocket service, which the requests of claims can not show. */
export const STREAM_TESTS: readonly { readonly says: string; readonly shownBy: ReturnType<typeof namedTest> }[] = [
  {
    says: 'An account has at most the WebSocket connections of its tier, over all processes together.',
    shownBy: namedTest('service/test/gateway/entry.test.ts', 'an account has at most the connections of its tier'),
  },
  {
    says: 'A live stream sends every slot once and in order.',
    shownBy: namedTest('service/test/gateway/live.test.ts', 'sends every slot once and in order'),
  },
  {
    says: 'A replay has the frames of the live stream.',
    shownBy: namedTest('service/test/gateway/past.test.ts', 'has the frames of the live stream'),
  },
]

/** Error codes that need another state of the service, or several requests, with the file that shows each. */
export const ERRORS_SHOWN_ELSEWHERE: Readonly<Partial<Record<ErrorCode, string>>> = {
  sign_in_again: 'service/test/account/operator.test.ts',
  review_not_found: 'service/test/account/operator.test.ts',
  account_not_found: 'service/test/account/operator.test.ts',
  sign_in_failed: 'service/test/account/sign-in.test.ts',
  sign_in_unavailable: 'service/test/account/sign-in.test.ts',
  sign_in_not_configured: 'service/test/account/sessions.test.ts',
  scope_not_allowed: 'service/test/conformance/claims-keys.ts',
  rotation_running: 'service/test/conformance/claims-account-added.ts',
  key_limit_reached: 'service/test/conformance/claims-account.ts',
  host_not_allowed: 'service/test/mcp/admission.test.ts',
  unsupported_media_type: 'service/test/mcp/admission.test.ts',
  payload_too_large: 'service/test/payments/callbacks.test.ts',
  https_required: 'service/test/conformance/claims-transport.ts',
  no_data_at_time: 'service/test/http/asof-execution.test.ts',
  idempotency_mismatch: 'service/test/conformance/claims-credits.ts',
  idempotency_spent: 'service/test/access/paying.test.ts',
  hour_not_finished: 'service/test/http/export.test.ts',
  range_not_satisfiable: 'service/test/http/export.test.ts',
  invoice_limit_reached: 'service/test/payments/create-invoice.test.ts',
  payments_not_configured: 'service/test/payments/create-invoice.test.ts',
  processor_unavailable: 'service/test/payments/create-invoice.test.ts',
  store_unavailable: 'service/test/http/markets-book.test.ts',
  overloaded: 'service/test/http/overload.nightly.test.ts',
}
