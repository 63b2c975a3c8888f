import type { Refusal, RefusalScene } from './refusal.ts'

const key = ({ keys }: RefusalScene, name: keyof RefusalScene['keys'] = 'pro') => ({ 'X-API-Key': keys[name] })
const json = { 'Content-Type': 'application/json' }
const invoiceOf = (pack: string) => ({
  method: 'POST' as const,
  path: '/v1/payments/create-invoice',
  body: JSON.stringify({ pack }),
})

/** Requests that are refused because of what happened before, or because of the settings of the service, by code. */
export const REFUSED_STATES: readonly Refusal[] = [
  {
    code: 'idempotency_mismatch',
    when: 'The key was used for another request before.',
    before: (scene) => ({
      times: 1,
      request: {
        path: `/v1/markets/${scene.values.MARKET}/snapshots?limit=1`,
        headers: { ...key(scene), 'Idempotency-Key': 'page-1' },
      },
    }),
    request: (scene) => ({
      path: `/v1/markets/${scene.values.MARKET}/snapshots?limit=2`,
      headers: { ...key(scene), 'Idempotency-Key': 'page-1' },
    }),
  },
  {
    code: 'idempotency_spent',
    when: 'The request was repeated five times before.',
    before: (scene) => ({ times: 6, request: pageTwo(scene) }),
    request: pageTwo,
  },
  {
    code: 'rotation_running',
    when: 'The key was rotated a moment ago, and its former secret still works.',
    before: (scene) => ({ times: 1, request: rotation(scene) }),
    request: rotation,
  },
  {
    code: 'sign_in_again',
    when: 'The identity provider did not ask the operator to prove who they are within the last 15 minutes.',
    request: ({ earlyOperator }) => resolution(earlyOperator.headers),
  },
  {
    code: 'review_not_found',
    when: 'Another operator resolved the review before.',
    request: ({ operator }) => resolution(operator.headers),
  },
  {
    code: 'account_not_found',
    when: 'An operator requests an account that does not exist.',
    request: ({ operator }) => ({
      path: '/app/api/operator/accounts/3f0c2f3e-6a5c-4f6c-9f67-1b2f5d3c4a5b',
      headers: operator.headers,
    }),
  },
  {
    code: 'hour_not_finished',
    when: 'The file of the current hour is requested.',
    request: (scene) => ({
      path: `/v1/markets/${scene.values.MARKET}/export?hour=${new Date().toISOString().slice(0, 13)}:00:00Z`,
      headers: key(scene, 'scale'),
    }),
  },
  {
    code: 'range_not_satisfiable',
    when: 'The range starts after the end of the file.',
    request: (scene) => ({
      path: `/v1/markets/${scene.values.PAST_MARKET}/export?hour=${scene.values.HOUR}`,
      headers: { ...key(scene, 'scale'), Range: 'bytes=999999999-' },
    }),
  },
  {
    code: 'invoice_limit_reached',
    when: 'The account has five unpaid invoices.',
    before: ({ freeUser }) => ({
      times: 5,
      request: { ...invoiceOf('credits_10k'), headers: { ...freeUser.headers, ...json } },
    }),
    request: ({ freeUser }) => ({ ...invoiceOf('credits_10k'), headers: { ...freeUser.headers, ...json } }),
  },
  {
    code: 'plan_arranged',
    when: 'The operator set the tier of this account.',
    request: ({ arrangedUser }) => ({
      ...invoiceOf('pro_monthly'),
      headers: { ...arrangedUser.headers, ...json },
    }),
  },
  {
    code: 'rate_limited',
    when: 'A key of the free tier has sent more than 60 requests in a minute.',
    before: (scene) => ({ times: 150, atOnce: true, request: { path: '/v1/categories', headers: key(scene, 'busy') } }),
    request: (scene) => ({ path: '/v1/categories', headers: key(scene, 'busy') }),
  },
  {
    code: 'sign_in_not_configured',
    when: 'The service has no identity provider.',
    to: ({ strictAddress }) => strictAddress,
    request: () => ({ path: '/v1/user/tier', headers: { 'X-Forwarded-Proto': 'https' } }),
  },
  {
    code: 'payments_not_configured',
    when: 'The service has no payment processor.',
    to: ({ unpaidAddress }) => unpaidAddress,
    request: ({ freeUser }) => ({ ...invoiceOf('credits_10k'), headers: { ...freeUser.headers, ...json } }),
  },
]

function resolution(headers: Readonly<Record<string, string>>) {
  return {
    method: 'POST' as const,
    path: '/app/api/operator/reviews/17/resolve',
    headers: { ...headers, ...json },
    body: JSON.stringify({ reason: 'sent back' }),
  }
}

function rotation({ freeUser, freeKeyId }: RefusalScene) {
  return {
    method: 'POST' as const,
    path: `/v1/api-keys/${freeKeyId}/rotate`,
    headers: { ...freeUser.headers, ...json },
    body: JSON.stringify({ overlapSeconds: 600 }),
  }
}

function pageTwo(scene: RefusalScene) {
  return {
    path: `/v1/markets/${scene.values.MARKET}/snapshots?limit=2`,
    headers: { ...key(scene), 'Idempotency-Key': 'page-2' },
  }
}
