import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { momentIn, rangeIn, samplesOf, TOPICS, usualRange } from './code-samples.ts'

const RANGE = { from: '2026-11-18T12:00:00.000Z', to: '2026-11-18T12:10:00.000Z' }
const VIEW = {
  baseUrl: 'https://api.example.com',
  marketId: `0x${'ab'.repeat(32)}`,
  side: 'down',
  range: RANGE,
  at: '2026-11-18T12:04:07.250Z',
} as const

test.each(TOPICS)('%s: every language names the service, the market and the key variable, and no key', (topic) => {
  const samples = samplesOf(topic, VIEW)
  const known = ['curl', 'TypeScript', 'Python', 'Command line', 'MCP']
  expect(known.filter((language) => samples.some((each) => each.language === language)).length).toBeGreaterThan(2)
  for (const { language, code } of samples) {
    // Streams have the same host.
    expect(code, language).toContain(VIEW.baseUrl.replace(/^https/, ''))
    expect(code, language).toContain(VIEW.marketId)
    expect(code, language).not.toContain('br_live')
    if (language !== 'Command line') expect(code, language).toContain('BOOKREEL_KEY')
  }
})

test('the tools of agents exist', () => {
  const tools = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8')
  for (const topic of ['live book', 'bars', 'stored books'] as const) {
    const code = samplesOf(topic, VIEW).find(({ language }) => language === 'MCP')?.code ?? ''
    const [, tool = 'no tool'] = /"name":"(\w+)"/.exec(code) ?? []
    expect(tools).toContain(`| \`${tool}\` |`)
  }
})

test('the side and the range are those of the view', () => {
  for (const { language, code } of samplesOf('bars', VIEW)) {
    expect(code, language).toContain('DOWN')
    for (const time of [RANGE.from, RANGE.to])
      expect(code.includes(time) || code.includes(encodeURIComponent(time)), language).toBe(true)
  }
})

test('the playhead is the moment of the book, and the start of a replay when it is in the range', () => {
  const codes = (topic: (typeof TOPICS)[number], at: string) =>
    samplesOf(topic, { ...VIEW, at }).map(({ code }) => code)
  const isIn = (code: string, time: string) =>
    [time, encodeURIComponent(time), String(Date.parse(time))].some((text) => code.includes(text))
  for (const code of [...codes('book at a moment', VIEW.at), ...codes('replay', VIEW.at)])
    expect(isIn(code, VIEW.at)).toBe(true)
  for (const code of codes('replay', '2026-11-18T13:00:00.000Z'))
    expect([RANGE.from, RANGE.to].every((time) => isIn(code, time))).toBe(true)
  expect(momentIn({ at: Date.parse(VIEW.at) })).toBe(VIEW.at)
  expect(momentIn({ at: 'soon' })).toBeUndefined()
})

test('the usual range ends now, or with the market', () => {
  const nowMs = Date.parse('2026-11-18T12:10:00.400Z')
  expect(usualRange('2026-11-18T18:00:00Z', nowMs)).toEqual(RANGE)
  expect(usualRange('2026-11-18T12:10:00Z', nowMs + 3_600_000)).toEqual(RANGE)
  expect(usualRange('', nowMs)).toEqual(RANGE)
})

test('a range of the address is used when it is one', () => {
  expect(rangeIn({ ...RANGE, tab: 'code' })).toEqual(RANGE)
  expect(rangeIn({ from: Date.parse(RANGE.from), to: Date.parse(RANGE.to) })).toEqual(RANGE)
  for (const search of [{}, { from: RANGE.from }, { from: RANGE.to, to: RANGE.from }, { from: 'x', to: 1e300 }])
    expect(rangeIn(search)).toBeUndefined()
})
