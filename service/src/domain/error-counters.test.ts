import { expect, test } from 'vitest'
import { ErrorGrowth, errorTotals } from './error-counters.ts'
import type { Heartbeat } from './heartbeat.ts'

const MINUTE_MS = 60_000

function heartbeat(process: string, startedAtMs: number, failed: number, rows = 0): Heartbeat {
  const metrics = [
    { name: 'archive_failed_inserts_total', kind: 'counter' as const, readings: [{ labels: {}, value: failed }] },
    { name: 'capture_rows_total', kind: 'counter' as const, readings: [{ labels: { verified: 'true' }, value: rows }] },
  ]
  return { roles: ['archive'], process, atMs: 0, startedAtMs, metrics }
}

const grown = (growth: ErrorGrowth): Record<string, number> =>
  Object.fromEntries(growth.grown().map(({ name, of, grownBy }) => [`${name} ${of}`, grownBy]))

test('only counters of errors are errors', () => {
  expect(errorTotals([heartbeat('a', 0, 2, 1_000)])).toEqual({ archive_failed_inserts_total: { all: 2 } })
})

type Labels = Record<string, string>

/** The counters of one process, each with the value 1. */
function counted(counters: Record<string, readonly Labels[]>): Heartbeat {
  const metrics = Object.entries(counters).map(([name, labels]) => {
    const readings = labels.map((each) => ({ labels: each, value: 1 }))
    return { name, kind: 'counter' as const, readings }
  })
  return { roles: ['all'], process: 'a', atMs: 0, startedAtMs: 0, metrics }
}

const outcomes = (...names: string[]): Labels[] => names.map((outcome) => ({ outcome }))

test('answers that failed are errors, and refusals that callers can cause are not', () => {
  const statuses = ['200', '401', '404', '429', '499', '500', '501', '503']
  const failures = ['internal', 'store_unavailable', 'overloaded', 'sign_in_unavailable', 'processor_unavailable']
  const refusals = ['rate_limited', 'unauthenticated', 'cross_site_refused', 'signature_refused', 'sign_in_failed']
  const codes = [...failures, ...refusals, 'sign_in_not_configured', 'code_of_a_newer_version']
  const errors = errorTotals([
    counted({
      api_requests_total: statuses.map((status) => ({ transport: 'rest', route: 'get_market', status })),
      api_refusals_total: codes.map((code) => ({ transport: 'mcp', code })),
      anonymous_refusals_total: [{ kind: 'requests' }],
    }),
  ])
  expect(errors).toEqual({
    api_requests_total: { 'rest get_market 500': 1, 'rest get_market 503': 1 },
    api_refusals_total: Object.fromEntries(failures.map((code) => [`mcp ${code}`, 1])),
  })
})

test('data that was lost or is stuck is an error, by the metric or by the label', () => {
  const metrics = [
    'api_broken_files_total',
    'raw_upload_failures_total',
    'raw_segments_never_uploaded_total',
    'catalogue_missed_markets_total',
    'capture_settlement_prices_missed_total',
  ]
  const errors = errorTotals([
    counted({
      ...Object.fromEntries([...metrics, 'raw_segments_uploaded_total'].map((name) => [name, [{}]])),
      archive_messages_total: outcomes('stored', 'buried', 'newer_version', 'unconfirmed', 'given_back'),
      gateway_holes_total: outcomes('healed', 'given_up'),
      payment_checks_total: outcomes('granted', 'no_answer'),
      prober_probes_total: ['ok', 'degraded', 'down'].map((state) => ({ service: 'api', state })),
    }),
  ])
  expect(errors).toEqual({
    ...Object.fromEntries(metrics.map((name) => [name, { all: 1 }])),
    archive_messages_total: { buried: 1, newer_version: 1, unconfirmed: 1, given_back: 1 },
    gateway_holes_total: { given_up: 1 },
    payment_checks_total: { no_answer: 1 },
    prober_probes_total: { 'api degraded': 1, 'api down': 1 },
  })
})

test('what a process has counted before the first look is no growth, and growth ends with the window', () => {
  const growth = new ErrorGrowth(10 * MINUTE_MS)
  expect([growth.sinceMs(0), growth.grown()]).toEqual([undefined, []])
  growth.observe([heartbeat('a', -1, 500)], 0)
  expect(grown(growth)).toEqual({})
  growth.observe([heartbeat('a', -1, 503)], MINUTE_MS)
  expect(grown(growth)).toEqual({ 'archive_failed_inserts_total all': 3 })
  expect(growth.sinceMs(MINUTE_MS)).toBe(0)
  for (let minute = 2; minute <= 12; minute++) growth.observe([heartbeat('a', -1, 503)], minute * MINUTE_MS)
  expect(grown(growth)).toEqual({})
  expect(growth.sinceMs(12 * MINUTE_MS)).toBe(2 * MINUTE_MS)
})

test('a process that starts again counts from zero, and one that is gone is remembered for the window', () => {
  const growth = new ErrorGrowth(10 * MINUTE_MS)
  growth.observe([heartbeat('a', -1, 10)], 0)
  growth.observe([heartbeat('a', -1, 14)], MINUTE_MS)
  growth.observe([heartbeat('b', MINUTE_MS + 1, 2)], 2 * MINUTE_MS)
  expect(grown(growth)).toEqual({ 'archive_failed_inserts_total all': 6 })
  growth.observe([heartbeat('b', MINUTE_MS + 1, 2)], 14 * MINUTE_MS)
  expect(grown(growth)).toEqual({})
})
