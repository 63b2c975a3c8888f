import type { Asked, Refusal, RefusalScene } from './refusal.ts'

type KeyName = keyof RefusalScene['keys']

const withKey = ({ keys }: RefusalScene, name: KeyName = 'pro') => ({ 'X-API-Key': keys[name] })
const json = { 'Content-Type': 'application/json' }
const post = (path: string, headers: Record<string, string>, body: unknown): Asked => ({
  method: 'POST',
  path,
  headers: { ...headers, ...json },
  body: JSON.stringify(body),
})
const UNKNOWN_MARKET = `0x${'12'.repeat(32)}`
const UNKNOWN_ID = '3f1c1f5e-6a55-4c3a-9a26-0d5d0a2f7a10'
const DAYS_AGO_MS = 3 * 86_400_000

/** Requests that a running service refuses, by code. */
export const REFUSED_REQUESTS: readonly Refusal[] = [
  {
    code: 'invalid_request',
    when: 'A parameter is out of range.',
    request: (scene) => ({
      path: `/v1/markets/${scene.values.MARKET}/snapshots?limit=900`,
      headers: withKey(scene),
    }),
  },
  {
    code: 'sign_in_failed',
    when: 'The browser did not start this sign-in.',
    request: () => ({ path: '/auth/callback?code=abc&state=def' }),
  },
  {
    code: 'unauthenticated',
    when: 'The request has no key.',
    request: () => ({ path: '/v1/categories' }),
  },
  {
    code: 'signature_refused',
    when: 'The signature of a payment callback does not match.',
    request: () => post('/v1/payments/callbacks/nowpayments', { 'X-Nowpayments-Sig': '00' }, { payment_id: 1 }),
  },
  {
    code: 'out_of_credits',
    when: 'The key may spend five credits per month, and the request costs ten.',
    request: (scene) => ({
      path: `/v1/markets/${scene.values.MARKET}/snapshots`,
      headers: withKey(scene, 'limited'),
    }),
  },
  {
    code: 'tier_not_allowed',
    when: 'The live book of a perpetual future is requested with a key of the free tier.',
    request: (scene) => ({
      path: '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp',
      headers: withKey(scene, 'free'),
    }),
  },
  {
    code: 'tier_not_allowed',
    status: 402,
    when: 'The list of snapshots is requested for a time that the free tier does not include.',
    request: (scene) => ({
      path: `/v1/markets/${scene.values.MARKET}/snapshots?from=${Math.floor((Date.now() - DAYS_AGO_MS) / 1_000)}`,
      headers: withKey(scene, 'free'),
    }),
  },
  {
    code: 'scope_not_allowed',
    when: 'The key has only the scope `live`.',
    request: (scene) => ({
      path: `/v1/markets/${scene.values.MARKET}/bars`,
      headers: withKey(scene, 'liveOnly'),
    }),
  },
  {
    code: 'key_limit_reached',
    when: 'A user of the free tier creates a second key.',
    request: ({ freeUser }) => post('/v1/api-keys', freeUser.headers, { label: 'second' }),
  },
  {
    code: 'cross_site_refused',
    when: 'The page of another site sends the request.',
    request: ({ freeUser }) =>
      post(
        '/v1/api-keys',
        { Cookie: freeUser.cookie, Origin: 'https://other.example', 'X-Requested-With': 'bookreel' },
        { label: 'second' },
      ),
  },
  {
    code: 'host_not_allowed',
    when: 'An MCP request has the host name of another service.',
    request: (scene) => post('/mcp', { Host: 'other.example', ...withKey(scene) }, { jsonrpc: '2.0', id: 1 }),
  },
  {
    code: 'https_required',
    when: 'A service that requires HTTPS gets a key over HTTP.',
    to: ({ strictAddress }) => strictAddress,
    request: (scene) => ({ path: '/v1/categories', headers: withKey(scene) }),
  },
  {
    code: 'market_not_found',
    when: 'No market has this id.',
    request: (scene) => ({ path: `/v1/markets/${UNKNOWN_MARKET}/orderbook`, headers: withKey(scene) }),
  },
  {
    code: 'slug_not_found',
    when: 'No market has a slug like this.',
    request: (scene) => ({ path: '/v1/markets/by-slug/btc-updown-7m', headers: withKey(scene) }),
  },
  {
    code: 'no_data_at_time',
    when: 'The time is in a gap.',
    request: (scene) => ({
      path: `/v1/markets/${scene.values.MARKET}/execution?side=UP&action=buy&size=100&timestamp=${scene.timeInGap}`,
      headers: withKey(scene),
    }),
  },
  {
    code: 'event_not_found',
    when: 'No event has this slug.',
    request: (scene) => ({ path: '/v1/events/no-such-event', headers: withKey(scene) }),
  },
  {
    code: 'sample_not_found',
    when: 'No sample has this id.',
    request: () => ({ path: '/v1/samples/no-such-sample' }),
  },
  {
    code: 'no_snapshot',
    when: 'The market was not recorded at that time.',
    request: (scene) => ({
      path: `/api/snapshot?marketId=${scene.values.PAST_MARKET}&timestamp=${Date.parse(scene.values.HOUR) / 1_000 - 600}`,
      headers: withKey(scene),
    }),
  },
  {
    code: 'market_closed',
    when: 'The market has ended.',
    request: (scene) => ({ path: `/v1/markets/${scene.values.PAST_MARKET}/orderbook`, headers: withKey(scene) }),
  },
  {
    code: 'key_not_found',
    when: 'The account has no key with this id.',
    request: ({ freeUser }) => ({
      method: 'DELETE',
      path: `/v1/api-keys/${UNKNOWN_ID}`,
      headers: freeUser.headers,
    }),
  },
  {
    code: 'invoice_not_found',
    when: 'The account has no invoice with this id.',
    request: ({ freeUser }) => ({
      path: `/v1/payments/invoices/${UNKNOWN_ID}`,
      headers: { Cookie: freeUser.cookie },
    }),
  },
  {
    code: 'file_not_found',
    when: 'No file has this id.',
    request: () => ({ path: '/v1/files/polymarket-btc-7m-2026-11-15-r1/proof' }),
  },
  {
    code: 'not_found',
    when: 'The path is not that of an endpoint.',
    request: (scene) => ({ path: '/v1/market', headers: withKey(scene) }),
  },
  {
    code: 'method_not_allowed',
    when: 'The endpoint exists for another method.',
    request: (scene) => ({ method: 'POST', path: '/v1/categories', headers: withKey(scene) }),
  },
  {
    code: 'payload_too_large',
    when: 'The body has two million characters.',
    request: ({ freeUser }) => post('/v1/api-keys', freeUser.headers, { label: 'x'.repeat(2_000_000) }),
  },
  {
    code: 'unsupported_media_type',
    when: 'The body is a form instead of JSON.',
    request: ({ freeUser }) => ({
      method: 'POST',
      path: '/v1/api-keys',
      headers: { ...freeUser.headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'label=notebook',
    }),
  },
]
