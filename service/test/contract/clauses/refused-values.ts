import { namesProblem } from '../checks.ts'
import { type Clause, clause, refused } from '../clause.ts'

const INVALID = [400, 'invalid_request'] as const
const LISTS = ['/v1/markets/live', '/v1/markets/history', '/v1/markets/history/recent']
const IDS = Array.from({ length: 101 }, (_, index) => `0x${String(index).padStart(64, '0')}`)

/** Values that the published document does not exclude. */
export const refusedValueClauses: readonly Clause[] = [
  clause('added', 'A value of the right form that has no meaning is 400 and named.', [
    ...(
      [
        ['/v1/markets/live?timeframe=5M', 'timeframe'],
        ['/v1/markets/search?q=%20', 'q'],
        ...LISTS.flatMap((list) => [
          [`${list}?results=true`, 'results'] as const,
          [`${list}?results=true&limit=501`, 'results'] as const,
        ]),
        ['/v1/markets/live?results=true&limit=5&form=declared', 'results'],
        ['/v1/asof?timestamp=2099-01-01T00:00:00Z&markets={closed}', 'timestamp'],
        ['/v1/markets/{live}/execution?side=UP&action=buy', 'size'],
        ['/v1/markets/{live}/execution?side=UP&action=buy&size=5&notional=5', 'size'],
        [`/v1/quotes?ids=${IDS.join()}`, 'ids'],
        ['/v1/asof?timestamp={row.7}&markets=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u', 'markets'],
        ['/v1/markets/{closed}/heatmap?from={hour}&column_ms=750', 'column_ms'],
        ['/v1/markets/{closed}/heatmap?from={hour}&column_ms=128000', 'column_ms'],
        ['/v1/exchange/heatmap?symbol=BTC&from={perp.first}&column_ms=1500', 'column_ms'],
        ['/v1/exchange/heatmap?symbol=BTC&from={perp.first}&price_step=0', 'price_step'],
        ['/v1/markets/{closed}/export?hour={row.first}', 'hour'],
        ['/v1/exchange/export?symbol=ZEC&hour={perp.first}', 'hour'],
      ] as const
    ).map(([request, parameter]) => refused('scale', request, INVALID, namesProblem(parameter))),
  ]),
  clause('7', 'On a public endpoint a malformed key is 401 where the answer depends on the tier.', [
    refused('malformed key', '/v1/payments/packs?format=csv', [401, 'unauthenticated'], () => {}),
  ]),
  clause('7', 'An estimate needs a key, and markets that exist.', [
    ...(
      [
        ['nobody', [401, 'unauthenticated']],
        ['pro', [404, 'market_not_found']],
      ] as const
    ).map(([as, error]) =>
      refused(as, '/v1/estimate', error, () => {}, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({
          product: 'hours',
          markets: [IDS[0]],
          from: '2026-10-14T10:00:00Z',
          to: '2026-10-14T11:00:00Z',
        }),
      }),
    ),
  ]),
]
