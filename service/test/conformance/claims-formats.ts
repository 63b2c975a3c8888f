import assert from 'node:assert/strict'
import { TIERS } from '../../src/domain/tier.ts'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { all, cellsOf, explains, hasHeaders, needsTiers } from './checks.ts'
import { type Check, type Claim, claim, refused, served } from './claim.ts'
import { COLUMNS } from './columns.ts'
import { cursorWalk, formatsOfPerp, formatsOfSnapshots, liveAndStored, rowsAndTruth } from './differential.ts'

const KEYED = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody')
const PUBLIC = ASKED_ENDPOINTS.filter(({ as }) => as === 'nobody')
const UPPER = ['scale', 'enterprise'] as const
const LOWER = TIERS.filter((tier) => tier !== 'scale' && tier !== 'enterprise')
const MEDIA = { csv: 'text/csv; charset=utf-8', tsv: 'text/tab-separated-values; charset=utf-8' } as const
const DELIMITERS = { csv: ',', tsv: '\t' } as const
const FORMATS = ['csv', 'tsv'] as const
const NOT_ALLOWED = [403, 'tier_not_allowed'] as const

const EXPORT = '/v1/markets/{id}/export'
/** Their other part is a Parquet file. */
const WITH_FILE = [EXPORT, '/v1/exchange/export', '/v1/files/{id}']
/** Lists that may have no row during the test. */
const MAY_BE_EMPTY = ['/v1/markets/{id}/gaps', '/v1/trades', EXPORT, '/v1/usage', '/v1/corrections']

function isFlatFile(path: string, format: 'csv' | 'tsv'): Check {
  return all(hasHeaders({ 'content-type': MEDIA[format] }), ({ text, headers }) => {
    const [names = [], ...rows] = cellsOf(text, DELIMITERS[format])
    // The interface does not list columns; callers rely on this order.
    if (path in COLUMNS) assert.equal(names.join(','), COLUMNS[path])
    assert.equal(String(rows.length), headers['x-row-count'])
    assert.ok(rows.length > 0 || MAY_BE_EMPTY.includes(path), 'the file has no rows')
    assert.ok(rows.every(({ length }) => length === names.length))
  })
}

export const formatClaims: readonly Claim[] = [
  claim(
    '4.2',
    'format.flat-file',
    'csv and tsv have a line of column names in a fixed order and one row for each item.',
    [
      ...KEYED.flatMap(({ path, request }) =>
        FORMATS.map((format) => served('scale', withParameter(request, `format=${format}`), isFlatFile(path, format))),
      ),
      served('enterprise', '/v1/markets/live?format=csv', isFlatFile('/v1/markets/live', 'csv')),
    ],
  ),
  claim('7', 'format.tiers', 'csv and tsv need the scale or enterprise tier on every endpoint; free and pro get 403.', [
    ...KEYED.flatMap(({ request }) =>
      FORMATS.flatMap((format) =>
        LOWER.map((tier) =>
          refused(tier, withParameter(request, `format=${format}`), NOT_ALLOWED, needsTiers(...UPPER)),
        ),
      ),
    ),
  ]),
  claim('7', 'format.public', 'On public endpoints csv and tsv need a key of the scale or enterprise tier too.', [
    ...PUBLIC.flatMap(({ request, path }) => [
      refused('nobody', withParameter(request, 'format=csv'), NOT_ALLOWED, needsTiers(...UPPER)),
      refused('pro', withParameter(request, 'format=csv'), NOT_ALLOWED, needsTiers(...UPPER)),
      served('scale', withParameter(request, 'format=csv'), isFlatFile(path, 'csv')),
    ]),
  ]),
  claim('added', 'format.parquet', 'Parquet needs the scale or enterprise tier.', [
    ...KEYED.filter(({ parquet }) => parquet).flatMap(({ request }) => [
      ...LOWER.map((tier) =>
        refused(tier, withParameter(request, 'format=parquet'), NOT_ALLOWED, needsTiers(...UPPER)),
      ),
      ...UPPER.map((tier) =>
        served(
          tier,
          withParameter(request, 'format=parquet'),
          all(hasHeaders({ 'content-type': 'application/vnd.apache.parquet' }), ({ text }) => {
            assert.ok(text.startsWith('PAR1') && text.endsWith('PAR1'))
          }),
        ),
      ),
    ]),
  ]),
  claim('added', 'format.no-parquet', 'Where there is no Parquet, it is 400 and the error lists the formats.', [
    ...KEYED.filter(({ parquet, path }) => parquet === undefined && !WITH_FILE.includes(path)).map(({ request }) =>
      refused('scale', withParameter(request, 'format=parquet'), [400, 'invalid_request'], explains(/json.*csv.*tsv/)),
    ),
  ]),
  claim('4.2', 'format.same-values', 'csv, tsv and Parquet have the values of the JSON answer; null is `\\N`.', [
    served('scale', '/v1/markets/{live}/snapshots?limit=1', (_, scene) => formatsOfSnapshots(scene)),
    served('scale', '/v1/exchange/snapshots?symbol=BTC&limit=1', (_, scene) => formatsOfPerp(scene)),
  ]),
  claim('4.2', 'format.levels', 'With `includebook=true` the levels are compact JSON in their cell.', [
    served(
      'scale',
      '/v1/markets/{closed}/snapshots?from={row.first}&limit=2&includebook=true&format=csv',
      ({ text }) => {
        const [names = [], first = []] = cellsOf(text, ',')
        assert.equal(first[names.indexOf('bids')], '[[0.48,100.5]]')
        assert.equal(first[names.indexOf('spot_crypto_usd')], '\\N')
      },
    ),
    served(
      'scale',
      '/v1/markets/{closed}/snapshots?from={row.first}&limit=2&includebook=false&format=csv',
      ({ text }) => {
        const [names = []] = cellsOf(text, ',')
        assert.ok(names.includes('mid') && !names.includes('bids') && !names.includes('asks'))
      },
    ),
  ]),
  claim('1', 'stored.as-served', 'A live book is stored as it was served, and found again by its time.', [
    served('pro', '/v1/markets/{live}/orderbook', (_, scene) => liveAndStored(scene)),
  ]),
  claim('1', 'stored.as-at-the-venue', 'Every stored book is one that the venue had at its event time.', [
    served('pro', '/v1/markets/{live}/snapshots?limit=1', (_, scene) => rowsAndTruth(scene)),
  ]),
  claim('4.3', 'snapshots.pages-while-recording', 'Pages of snapshots are disjoint and complete while rows arrive.', [
    served('scale', '/v1/markets/{live}/snapshots?limit=1', (_, scene) => cursorWalk(scene)),
  ]),
]
