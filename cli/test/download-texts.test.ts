import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GapReport } from '@bookreel/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableText, nothingText } from '../src/download/left-out.ts'
import { MarketFolders } from '../src/download/market-folders.ts'
import { recordedLines } from '../src/render/recorded-lines.ts'

const at = (clock: string): string => `2026-11-15T${clock}Z`
const NOW_MS = Date.parse(at('12:53:01'))
const ID = `0x${'22ac97f01b'.padEnd(64, '0')}`

describe('when an hour is available', () => {
  test.each([
    ['13:05:00', 'available at 13:05 UTC (in 12 minutes)'],
    ['12:53:30', 'available at 12:53 UTC (in 1 minute)'],
    ['12:50:00', 'available at 12:50 UTC (in 0 minutes)'],
  ])('%s', (clock, text) => {
    expect(availableText(Date.parse(at(clock)), NOW_MS)).toBe(text)
  })

  test('another day has its date, and an unknown time is not invented', () => {
    expect(availableText(Date.parse('2026-11-16T00:05:00Z'), NOW_MS)).toBe(
      'available at 2026-11-16 00:05 UTC (in 672 minutes)',
    )
    expect(availableText(undefined, NOW_MS)).toContain('try again in a minute')
  })

  test('of several hours the first one counts', () => {
    const hour = { market: ID, slug: 'a', hourMs: 0 }
    const notFinished = [
      { ...hour, availableAtMs: Date.parse(at('14:05:00')) },
      { ...hour, availableAtMs: Date.parse(at('13:05:00')) },
    ]
    const range = { fromMs: Date.parse(at('12:00:00')), toMs: Date.parse(at('14:00:00')) }
    expect(nothingText({ hours: [], empty: [], notFinished }, range, NOW_MS)).toBe(
      'Nothing to download: no finished hour between 2026-11-15T12:00:00Z and 2026-11-15T14:00:00Z. The next one is available at 13:05 UTC (in 12 minutes).',
    )
  })
})

describe('the folder of a market', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bookreel-folders-'))
    mkdirSync(join(folder, ID))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each([
    ['btc-updown-5m-1794805200', 'btc-updown-5m-1794805200--0x22ac97f01b'],
    ['../../etc/passwd', 'etc-passwd--0x22ac97f01b'],
    ['What? A:B\\C', 'what-a-b-c--0x22ac97f01b'],
    ['', 'market--0x22ac97f01b'],
    ['x'.repeat(300), `${'x'.repeat(80)}--0x22ac97f01b`],
  ])('slug %s', (slug, name) => {
    const folders = new MarketFolders(join(folder, 'new'))
    expect([folders.of(ID, slug), folders.older.size]).toEqual([name, 0])
  })

  test('a folder named with the whole id is used again', () => {
    const folders = new MarketFolders(folder)
    expect([folders.of(ID, 'btc'), [...folders.older]]).toEqual([ID, [ID]])
  })
})

describe('what was recorded', () => {
  const report: GapReport = {
    market_id: ID,
    venue: 'polymarket',
    capture_interval_ms: 250,
    recorded_from: at('12:03:10'),
    recorded_to: at('13:00:00'),
    requested_from: at('12:00:00'),
    requested_to: at('13:00:00'),
    recorded_share: 0.947222,
    unrecorded: [{ from: at('12:00:00'), to: at('12:03:10'), slots: 760, reason: 'before_recording' }],
    from: at('12:03:10'),
    to: at('13:00:00'),
    coverage: {
      expected_slots: 13_640,
      stored_slots: 13_638,
      missing_slots: 2,
      share: 0.999853,
      first_slot: 1,
      last_slot: 13_640,
      first: at('12:03:10'),
      last: at('12:59:59.750'),
    },
    unaccounted_slots: 0,
    gap_count: 1,
    gaps: [],
    next_cursor: null,
  }
  const { coverage } = report

  test('a window recorded in part is never called complete', () => {
    expect(
      recordedLines({ ...report, coverage: { ...coverage, share: 1, stored_slots: 13_640 }, gap_count: 0 }),
    ).toEqual([
      'Recorded 2026-11-15 12:03:10–13:00:00 UTC of the requested 2026-11-15 12:00:00–13:00:00 UTC: 94.72 % of the range was recorded.',
      'Within the recorded range: 100.0000 % complete, 13,640 of 13,640 slots, 0 gaps.',
      'Not recorded: 2026-11-15 12:00:00–12:03:10 UTC, before the first recorded slot (760 slots).',
    ])
  })

  test('a range recorded whole has one line, and shares are rounded down', () => {
    expect(
      recordedLines({ ...report, unrecorded: [], recorded_share: 1, coverage: { ...coverage, share: 0.9999999 } }),
    ).toEqual(['Recorded 2026-11-15 12:03:10–13:00:00 UTC: 99.9999 % complete, 13,638 of 13,640 slots, 1 gap.'])
  })

  test('a market without rows', () => {
    expect(recordedLines({ ...report, recorded_from: null, recorded_to: null })).toEqual([
      'Nothing of this market was recorded yet.',
    ])
  })
})
