import { describe, expect, test } from 'vitest'
import { byteCount, envelopeHeaders } from './envelope-headers.ts'

const URL = '/v1/stats?format=json'
const sizeOf = (headers: Record<string, string>): number =>
  byteCount(
    Object.entries(headers)
      .filter(([name]) => name !== 'link')
      .map(([name, text]) => ({ name, text })),
  )

describe('members of a reply as headers', () => {
  test('scalars are sent as they are, lists and objects as JSON in ASCII, null is left out', () => {
    const envelope = { total_markets: 7, isLive: false, share: 0.5, next: null, to: '2026-11-16T00:00:00.000Z' }
    const nested = { gaps: [], window: { label: '-2 °C\u007f', ключ: '🟢' } }
    expect(envelopeHeaders({ ...envelope, ...nested }, URL)).toEqual({
      'x-total-markets': '7',
      'x-is-live': 'false',
      'x-share': '0.5',
      'x-to': '2026-11-16T00:00:00.000Z',
      'x-gaps': '[]',
      'x-window': '{"label":"-2 \\u00b0C\\u007f","\\u043a\\u043b\\u044e\\u0447":"\\ud83d\\udfe2"}',
    })
    expect(JSON.parse(envelopeHeaders(nested, URL)['x-window'] ?? '')).toEqual(nested.window)
  })

  test('text is percent-encoded UTF-8, also with half of a surrogate pair', () => {
    const question = 'Über 50 %?\r\nX-Evil: 1 \ud800'
    const { 'x-question': value = '' } = envelopeHeaders({ question }, URL)
    expect(value).toMatch(/^[\x21-\x7e]+$/)
    expect(decodeURIComponent(value)).toBe(question.toWellFormed())
  })

  test('a long list is sent as its length, with a link to the JSON form', () => {
    const list = (items: number) => Array.from({ length: items }, (_, index) => 1_000 + index)
    expect(envelopeHeaders({ gaps: list(409) }, URL)).toEqual({ 'x-gaps': JSON.stringify(list(409)) })
    expect(envelopeHeaders({ gaps: list(410), total: 1 }, URL)).toEqual({
      'x-gaps-count': '410',
      'x-total': '1',
      link: '</v1/stats?format=json>; rel="alternate"; type="application/json"',
    })
  })

  test('all together have at most 4 kB: the longest is counted first, and the last of equally long ones', () => {
    const text = 'x'.repeat(1_200)
    const envelope = { one: { text }, two: { text }, three: { text }, four: { text: `${text}x` }, five: 5 }
    const headers = envelopeHeaders(envelope, URL)
    expect(Object.keys(headers)).toEqual(['x-one', 'x-two', 'x-three', 'x-four-count', 'x-five', 'link'])
    expect(sizeOf(headers)).toBeLessThanOrEqual(4_096)
    const fuller = envelopeHeaders(envelope, URL, 500)
    expect(Object.keys(fuller)).toEqual(['x-one', 'x-two', 'x-three-count', 'x-four-count', 'x-five', 'link'])
    expect(sizeOf(fuller) + 500).toBeLessThanOrEqual(4_096)
  })

  test('text that is too long is sent as its length', () => {
    expect(envelopeHeaders({ text: 'é'.repeat(400) }, URL)).toMatchObject({ 'x-text-length': '400' })
  })
})
