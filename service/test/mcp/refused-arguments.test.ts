import { describe, expect, test } from 'vitest'
import { ConfigSchema, readConfig } from '../../src/config.ts'
import { ApiError } from '../../src/domain/api-error.ts'
import { readFrame } from '../../src/gateway/connection/read-frame.ts'
import { ClientFrame } from '../../src/gateway/protocol/protocol.ts'
import { tools } from '../../src/mcp/tools.ts'

const VALIDATOR_PHRASES =
  /Invalid (?:input|option|string|value|key|element|ISO|UUID|URL|number)|\bexpected\b|Too (?:big|small)|Unrecognized|received (?:undefined|NaN|string)|undefined|\[object/i
const TEXTS = [
  '',
  ' ',
  'x',
  '7m',
  '-1',
  '0',
  '1.5',
  '900',
  '99999999999',
  'null',
  'NaN',
  '1e9',
  'é',
  'a,,b',
  '9'.repeat(500),
]
const AT_MS = Date.UTC(2026, 10, 15)
const VALUES = [
  ...TEXTS,
  null,
  true,
  -1,
  0,
  1.5,
  1e15,
  [],
  [null],
  ['x'],
  {},
  { x: 1 },
  { market: 'x' },
  { coin: 'BTC' },
]

/** The refusals of some values; those that are allowed give none. */
function refusalsOf(values: readonly unknown[], read: (value: unknown) => unknown): ApiError[] {
  return values.flatMap((value) => {
    try {
      read(value)
      return []
    } catch (error) {
      if (error instanceof ApiError) return [error]
      throw error
    }
  })
}

function expectOwnSentences(refusals: readonly ApiError[]): void {
  for (const { code, message, details } of refusals) {
    expect(`${code} ${message} ${JSON.stringify(details)}`).not.toMatch(VALIDATOR_PHRASES)
    expect(message).toMatch(/must|is required|has|may|works only|Unknown|longer|market|control/)
  }
}

describe('a refused value gets a sentence of ours, never one of the validator', () => {
  test.each(tools.map((tool) => [tool.name, tool] as const))('argument of the tool %s', (_, tool) => {
    expectOwnSentences(refusalsOf(VALUES, (value) => tool.read(value)))
    const names = Object.keys((tool.inputSchema.properties ?? {}) as object)
    for (const name of names) expectOwnSentences(refusalsOf(VALUES, (value) => tool.read({ [name]: value })))
  })

  const frames = ClientFrame.options.map((option) => [String(option.shape.op.value), option] as const)
  test.each(frames)('frame %s', (op, option) => {
    const usual = {
      id: 1,
      op,
      key: 'x',
      selectors: [{ slug: 'x' }],
      from: AT_MS,
      to: AT_MS + 1,
      since: AT_MS,
      speed: 1,
    }
    const names = Object.keys(option.shape)
    const frame = Object.fromEntries(Object.entries(usual).filter(([name]) => names.includes(name)))
    expect(readFrame(JSON.stringify(frame))).toMatchObject({ op })
    for (const name of [...names, 'unknown']) {
      const asText = (value: unknown) => readFrame(JSON.stringify({ ...frame, [name]: value }))
      const refusals = refusalsOf([undefined, ...VALUES, [{ coin: 'BTC', timeframe: '7m' }]], asText)
      expect(refusals.length, name).toBeGreaterThan(0)
      expectOwnSentences(refusals)
    }
    for (const name of names.includes('options') ? ['depth', 'interval_ms', 'mode', 'other'] : []) {
      expectOwnSentences(
        refusalsOf(VALUES, (value) => readFrame(JSON.stringify({ ...frame, options: { [name]: value } }))),
      )
    }
  })

  test('settings', () => {
    const message = (environment: Record<string, string | undefined>): string => {
      try {
        readConfig(environment)
        return ''
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
    }
    expect(message({})).toContain('CLICKHOUSE_URL is not set. Set it to: ')
    for (const name of Object.keys(ConfigSchema.shape)) {
      for (const value of TEXTS) expect(message({ [name]: value })).not.toMatch(VALIDATOR_PHRASES)
    }
  })
})

describe('from must be before to', () => {
  const later = '2026-11-15T13:00:00.000Z'
  const earlier = '2026-11-15T12:00:00.000Z'

  test('for every tool with a range of times', () => {
    const withRange = tools.filter(({ inputSchema: { properties = {} } }) => 'from' in (properties as object))
    expect(withRange.length).toBeGreaterThanOrEqual(5)
    for (const tool of withRange) {
      const id = `0x${'ab'.repeat(32)}`
      const names = Object.keys(tool.inputSchema.properties as object)
      const required = Object.fromEntries(['market'].filter((name) => names.includes(name)).map((name) => [name, id]))
      const args = { ...required, ...(names.includes('coin') && { coin: 'BTC' }), from: later, to: earlier }
      expect(refusalsOf([args], (given) => tool.read(given)).map(({ message }) => message)).toEqual([
        `from must be before to, got ${later} and ${earlier}`,
      ])
    }
  })
})
