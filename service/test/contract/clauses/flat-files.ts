import assert from 'node:assert/strict'
import { all, cellsOf, hasHeaders, namesProblem, recordsOf } from '../checks.ts'
import { type Check, type Clause, clause } from '../clause.ts'
import { envelopeBytes, linkedAddress } from '../flat-file.ts'
import { HOLEY_SLOTS } from '../scene/holey-market.ts'

const MAX_ENVELOPE_BYTES = 4_096

const quoted: Check = async ({ text }, scene) => {
  const { body } = await scene.ask('scale', '/v1/markets/by-slug/{holey.slug}')
  const [row] = recordsOf(text, ',')
  assert.deepEqual([row?.question, row?.label], [`'${body.question}`, `'${body.label}`])
  assert.deepEqual([row?.slug, row?.market_id], [body.slug, body.market_id])
}

const unchanged =
  (delimiter: ',' | '\t'): Check =>
  async ({ text }, scene) => {
    const { body } = await scene.ask('scale', '/v1/markets/by-slug/{holey.slug}')
    assert.ok(body.question.startsWith('=') && body.label.startsWith('-'))
    const [row] = recordsOf(text, delimiter)
    assert.deepEqual([row?.question, row?.label], [body.question, body.label])
  }

export const flatFileClauses: readonly Clause[] = [
  clause('4.2', 'A Parquet file has the same headers as the flat files.', [
    {
      as: 'scale',
      request: '/v1/markets/{holey}/snapshots?from={holey.first}&limit=4&format=parquet',
      check: async ({ headers }, scene) => {
        const { body } = await scene.ask('scale', '/v1/markets/{holey}/snapshots?from={holey.first}&limit=4')
        assert.equal(headers['x-gaps'], JSON.stringify(body.gaps))
        assert.equal(headers['x-coverage'], JSON.stringify(body.coverage))
      },
    },
  ]),
  clause('4.2', 'A list that is too long for a header is sent as its length, with a link to the JSON.', [
    ...(['csv', 'tsv', 'parquet'] as const).map((format) => ({
      as: 'scale' as const,
      request: `/v1/markets/{holey}/snapshots?from={holey.first}&limit=500&includebook=false&format=${format}`,
      check: (async (file, scene) => {
        assert.deepEqual([file.headers['x-gaps-count'], file.headers['x-gaps']], [String(HOLEY_SLOTS / 2), undefined])
        assert.ok(envelopeBytes(file) <= MAX_ENVELOPE_BYTES)
        const address = linkedAddress(file) ?? ''
        assert.match(address, /^\/v1\/markets\/0x[0-9a-f]{64}\/snapshots\?.*format=json$/)
        const { body } = await scene.ask('scale', address)
        assert.equal(body.gaps.length, HOLEY_SLOTS / 2)
        assert.equal(file.headers['x-coverage'], JSON.stringify(body.coverage))
      }) satisfies Check,
    })),
    {
      as: 'scale',
      request: '/v1/markets/{holey}/snapshots?from={holey.first}&limit=500&format=csv&spreadsheet_safe=true',
      check: async (file, scene) => {
        const { status, body } = await scene.ask('scale', linkedAddress(file) ?? '')
        assert.deepEqual([status, body.gaps.length], [200, HOLEY_SLOTS / 2])
      },
    },
  ]),
  clause('4.2', 'Files contain the data unchanged, also text that begins like a formula.', [
    { as: 'scale', request: '/v1/markets/by-slug/{holey.slug}?format=csv', check: unchanged(',') },
    { as: 'scale', request: '/v1/markets/by-slug/{holey.slug}?format=tsv', check: unchanged('\t') },
    {
      as: 'scale',
      request: '/v1/markets/by-slug/{holey.slug}?format=csv&spreadsheet_safe=false',
      check: unchanged(','),
    },
  ]),
  clause('added', 'spreadsheet_safe=true writes a quote before text that a spreadsheet would run.', [
    { as: 'scale', request: '/v1/markets/by-slug/{holey.slug}?format=csv&spreadsheet_safe=true', check: quoted },
    {
      as: 'scale',
      request: '/v1/markets/{live}/execution?side=UP&action=sell&size=5&format=csv&spreadsheet_safe=true',
      check: ({ text }) => {
        const [header = [], row = []] = cellsOf(text, ',')
        assert.equal(row[header.indexOf('action')], 'sell')
        assert.ok(!text.includes("'"), 'numbers stay numbers')
      },
    },
    ...['format=json&spreadsheet_safe=true', 'spreadsheet_safe=true', 'spreadsheet_safe=false'].map((query) => ({
      as: 'scale' as const,
      request: `/v1/categories?${query}`,
      status: 400,
      error: 'invalid_request' as const,
      check: all(namesProblem('spreadsheet_safe'), ({ body }) =>
        assert.match(body.message, /with format=csv or format=tsv, got format=json/),
      ),
    })),
    {
      as: 'scale',
      request: '/v1/categories?format=csv&spreadsheet_safe=yes',
      status: 400,
      error: 'invalid_request',
      check: namesProblem('spreadsheet_safe'),
    },
    {
      as: 'scale',
      request: '/v1/categories?format=csv&spreadsheet_safe=true',
      check: hasHeaders({ 'content-type': 'text/csv; charset=utf-8' }),
    },
  ]),
]
