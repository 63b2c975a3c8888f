import type { CreditEntry } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { heldFiles, hourPath } from './held-files.ts'

const NOW_MS = Date.parse('2026-11-18T12:00:00Z')
const HOUR_MS = Date.parse('2026-11-18T10:00:00Z')

function entry(changes: Partial<CreditEntry>): CreditEntry {
  return {
    id: 1,
    at: '2026-11-18T11:00:00.000Z',
    kind: 'charge',
    credits: -3,
    balanceAfter: 0,
    endpoint: 'export_hour',
    keyId: null,
    keyLabel: null,
    requestId: null,
    refundOf: null,
    downloadPath: hourPath('0xa', HOUR_MS),
    downloadUntil: '2026-11-19T11:00:00.000Z',
    ...changes,
  }
}

test('an hour that was bought is free until its time is over', () => {
  const bought = entry({})
  expect(heldFiles([bought], NOW_MS)).toEqual([
    {
      path: '/v1/markets/0xa/export?hour=2026-11-18T10:00:00.000Z',
      market: '0xa',
      hour: '2026-11-18T10:00:00.000Z',
      credits: 3,
      boughtAt: bought.at,
      until: bought.downloadUntil,
    },
  ])
  expect(heldFiles([bought], Date.parse('2026-11-19T11:00:00Z'))).toEqual([])
})

test('a charge that was undone, and what is no hour of a market, is not free', () => {
  const refund = entry({ id: 2, kind: 'refund', credits: 3, refundOf: 1, downloadPath: null, downloadUntil: null })
  expect(heldFiles([refund, entry({})], NOW_MS)).toEqual([])
  expect(heldFiles([entry({ downloadPath: '/v1/files/x' }), entry({ downloadPath: null })], NOW_MS)).toEqual([])
})
