import type { StreamEvent } from '@bookreel/sdk'
import { describe, expect, test } from 'vitest'
import { hourName, hoursBetween } from '../src/download/hours.ts'
import { readReference } from '../src/market-reference.ts'
import { readMoment } from '../src/moment.ts'
import { bar } from '../src/render/bar.ts'
import { eventLine } from '../src/render/event-line.ts'
import { renderLadder, type ShownBook } from '../src/render/ladder.ts'
import { ageText, bytesText, counted, durationText } from '../src/render/numbers.ts'
import { Progress } from '../src/render/progress.ts'
import { renderTable } from '../src/render/table.ts'
import { visibleCharacters } from '../src/render/text.ts'
import type { Paint } from '../src/terminal.ts'

const unpainted: Paint = (_style, text) => text
const NOW_MS = Date.UTC(2026, 10, 15, 12, 0)
const ESCAPE = '\u001b'

const BOOK: ShownBook = {
  title: 'Bitcoin Up or Down',
  name: 'btc-updown-5m-1',
  side: 'UP',
  bids: [
    [0.54, 100],
    [0.53, 50],
    [0.5, 400],
  ],
  asks: [
    [0.56, 200],
    [0.575, 12.5],
  ],
  capturedAt: NOW_MS - 132,
  seq: 77,
  isVerified: true,
  proof: 'hash',
  doubt: undefined,
  spot: 60_123.45,
  endsAt: NOW_MS + 133_000,
}
const LAYOUT = { columns: 60, rows: 40, depth: 10, nowMs: NOW_MS, paint: unpainted }

describe('a ladder', () => {
  test('shows the best bid and ask in the middle, bars by size, and the proof', () => {
    expect(renderLadder(BOOK, LAYOUT).split('\n')).toEqual([
      'Bitcoin Up or Down',
      'btc-updown-5m-1   UP   ends in 2:13',
      '',
      '  price   size',
      '  0.575   12.5  █▍',
      '  0.560  200.0  █████████████████████▌',
      '  mid 0.5500   spread 0.020',
      '  0.540  100.0  ██████████▊',
      '  0.530   50.0  █████▍',
      '  0.500  400.0  ███████████████████████████████████████████',
      '',
      '  ✓ verified   spot 60,123.45',
      '  age 132 ms   seq 77   3 bids, 2 asks',
    ])
  })

  test('fits into the columns and rows of the terminal', () => {
    const levels = Array.from({ length: 50 }, (_, index): [number, number] => [0.5 - index / 100, 1_234_567.89])
    for (const [columns, rows] of [
      [40, 12],
      [60, 18],
      [200, 60],
    ] as const) {
      const lines = renderLadder(
        { ...BOOK, bids: levels, asks: levels, title: 'x'.repeat(300) },
        { ...LAYOUT, columns, rows, depth: 50 },
      ).split('\n')
      expect(lines.length).toBeLessThanOrEqual(rows)
      expect(Math.max(...lines.map((line) => visibleCharacters(line).length))).toBeLessThanOrEqual(columns)
    }
  })

  test('shows an empty side, a doubt and a missing proof', () => {
    const text = renderLadder({ ...BOOK, asks: [], doubt: 'gap' }, LAYOUT)
    for (const part of ['no asks', 'mid –', 'in doubt: gap']) expect(text).toContain(part)
    expect(renderLadder({ ...BOOK, isVerified: false }, LAYOUT)).toContain('! unverified')
    const unknown = { ...BOOK, isVerified: undefined }
    expect(renderLadder({ ...unknown, proof: 'sequence' }, LAYOUT)).toContain('✓ no change is missing')
    expect(renderLadder({ ...unknown, proof: 'none' }, LAYOUT)).toContain('this venue offers no proof')
  })

  test('removes control characters from names of the venue', () => {
    expect(renderLadder({ ...BOOK, title: `a${ESCAPE}[2Jb\r\u202ec` }, LAYOUT)).toContain('a [2Jb  c')
  })
})

test('bars have steps of an eighth and show every share above 0', () => {
  expect([bar(0, 4), bar(0.001, 4), bar(0.5, 3), bar(1, 4), bar(7, 4)]).toEqual(['', '▏', '█▌', '████', '████'])
})

describe('a table', () => {
  const columns = [
    { title: 'NAME', text: ([name]: [string, number]) => name, mayShrink: true },
    { title: 'COUNT', text: ([, count]: [string, number]) => String(count), isNumber: true },
  ] as const
  const rows: [string, number][] = [
    ['a rather long name', 5],
    [`b${ESCAPE}[31m`, 12_345],
  ]

  test('aligns columns and removes control characters', () => {
    const text = renderTable(columns, rows, { width: Number.POSITIVE_INFINITY, paint: unpainted })
    expect(text).toBe('NAME                COUNT\na rather long name      5\nb [31m              12345\n')
  })

  test('shortens the columns that may shrink', () => {
    const text = renderTable(columns, rows, { width: 18, paint: unpainted })
    expect(text.split('\n')[1]).toBe('a rather l…      5')
  })
})

describe('progress', () => {
  test('estimates the remaining time from received rows only', () => {
    const progress = new Progress({ hours: 10, rows: 10_000 }, { hours: 4, rows: 4_000 }, NOW_MS)
    expect(progress.remainingMs(NOW_MS + 1_000)).toBeUndefined()
    progress.received('a', 500, 1_000, 0.5)
    expect(progress.remainingMs(NOW_MS + 1_000)).toBe(11_000)
    progress.received('a', 500, 1_000, 1)
    progress.finished('a', 1_000)
    expect(progress.remainingMs(NOW_MS + 2_000)).toBe(10_000)
    expect(progress.text(NOW_MS + 2_000, 200)).toBe(
      '████████████░░░░░░░░░░░░ 50 %   5/10 hours   5,000 rows   1.0 kB   ETA 0:10',
    )
    expect(progress.text(NOW_MS, 20)).toHaveLength(20)
  })
})

test('formats and parses times, durations and sizes', () => {
  expect([durationText(42_000), durationText(725_000), durationText(11_220_000), durationText(90_061_000)]).toEqual([
    '0:42',
    '12:05',
    '3:07:00',
    '1d 1:01:01',
  ])
  expect([counted(0, 'credit'), counted(1, 'credit'), counted(1_200, 'credit')]).toEqual([
    '0 credits',
    '1 credit',
    '1,200 credits',
  ])
  expect([ageText(132), ageText(4_250), ageText(90_000)]).toEqual(['132 ms', '4.3 s', '1:30'])
  expect([bytesText(999), bytesText(1_500), bytesText(38_200_000)]).toEqual(['999 B', '1.5 kB', '38.2 MB'])
  const moments = [
    '2026-11-15T11:00:00Z',
    '2026-11-15T11:00',
    '2026-11-15',
    '15m',
    '2h',
    'now',
    '1794700000',
    '1794700000000',
  ]
  expect(moments.map((text) => readMoment(text, NOW_MS))).toEqual([
    NOW_MS - 3_600_000,
    NOW_MS - 3_600_000,
    NOW_MS - 43_200_000,
    NOW_MS - 900_000,
    NOW_MS - 7_200_000,
    NOW_MS,
    1_794_700_000_000,
    1_794_700_000_000,
  ])
  for (const text of ['', 'yesterday', '15', '-15m', '2026-13-45']) expect(readMoment(text, NOW_MS)).toBeUndefined()
  expect(hoursBetween(NOW_MS + 1, NOW_MS + 3_600_001).map(hourName)).toEqual(['2026-11-15T12Z', '2026-11-15T13Z'])
  expect(hoursBetween(NOW_MS, NOW_MS + 3_600_000)).toEqual([NOW_MS])
})

test('parses every way to name a market', () => {
  expect(readReference('btc/5M')).toEqual({ kind: 'window', coin: 'BTC', timeframe: '5m' })
  expect(readReference('hyperliquid_perp:btc')).toEqual(readReference('BTC/perp'))
  expect(readReference(`0x${'AB'.repeat(32)}`)).toEqual({ kind: 'id', id: `0x${'ab'.repeat(32)}` })
  expect(readReference('category:Sports')).toEqual({ kind: 'category', category: 'sports' })
  expect(readReference('btc-updown-5m')).toEqual(readReference('BTC/5m'))
  expect(readReference('Kalshi:btc/1h')).toEqual({ kind: 'window', coin: 'BTC', timeframe: '1h', venue: 'kalshi' })
  expect(readReference('kalshi:kx-1')).toEqual({ kind: 'slug', slug: 'kx-1', venue: 'kalshi' })
  expect(readReference('all:category:crypto')).toEqual({ kind: 'category', category: 'crypto', venue: 'all' })
  expect(() => readReference('kalshi:BTC/perp')).toThrow('without a venue')
  expect(readReference('btc-updown-5m-1794737100')).toEqual({ kind: 'slug', slug: 'btc-updown-5m-1794737100' })
  for (const path of ['event/nba-lal-bos', 'event/nba/nba-lal-bos/', 'market/nba-lal-bos?tid=1']) {
    expect(readReference(`https://polymarket.com/${path}`)).toEqual({ kind: 'slug', slug: 'nba-lal-bos' })
  }
  for (const text of ['BTC/7m', 'category:cats', '', 'https://example.com/event/x', 'https://polymarket.com/'])
    expect(() => readReference(text)).toThrow()
})

test('formats every stream event as one line', () => {
  const times = { event_at: NOW_MS, received_at: NOW_MS, captured_at: NOW_MS, sent_at: NOW_MS }
  const common = { market: 'm', seq: 7, prev_seq: 6, ...times }
  const up = { bids: [[0.4, 10]], asks: [[0.5, 2_000]] } as { bids: [number, number][]; asks: [number, number][] }
  const events: [StreamEvent, string][] = [
    [{ channel: 'book', type: 'snapshot', flags: ['verified_up'], proof: 'hash', up, ...common }, 'UP 0.4 / 0.5'],
    [{ channel: 'book', type: 'snapshot', flags: ['unverified_up'], proof: 'hash', up, ...common }, 'unverified'],
    [{ channel: 'book', type: 'snapshot', flags: [], proof: 'none', book: up, ...common }, '0.4 / 0.5'],
    [
      {
        channel: 'gap' as 'book',
        type: 'gap',
        market: 'm',
        from_seq: 8,
        to_seq: 9,
        kind: 'missing',
        cause: null,
        sent_at: NOW_MS,
      },
      '2 slots',
    ],
    [{ type: 'replay_ended', reason: 'complete', at: NOW_MS, rows: 5, credits: 1 }, 'complete: 5 rows'],
    [{ type: 'disconnected', code: 'network', message: 'gone\nfor good', at: NOW_MS }, 'gone for good'],
  ]
  for (const [event, part] of events) {
    const line = eventLine(event, () => 'BTC/5m', unpainted)
    expect(line).toContain(part)
    expect(line.split('\n')).toHaveLength(1)
    expect(line).toMatch(/^2026-11-15 12:00:00\.000 /)
  }
})
