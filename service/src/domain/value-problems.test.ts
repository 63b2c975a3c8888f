import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkValue } from './value-problems.ts'

const Pair = z.union([
  z.strictObject({ slug: z.string().min(1) }),
  z.strictObject({ coin: z.string(), timeframe: z.enum(['5m', '1h']) }),
])
const Frame = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('ping') }),
  z.strictObject({ op: z.literal('subscribe'), pairs: z.array(Pair).min(1).max(2) }),
])

test.each<[kind: string, schema: z.ZodType, value: unknown, sentence: string]>([
  ['no value', z.object({ label: z.string() }), {}, 'label is required'],
  [
    'no value of a list',
    z.object({ side: z.enum(['UP', 'DOWN']) }),
    {},
    'side is required and must be one of UP, DOWN',
  ],
  ['another type', z.object({ label: z.string() }), { label: 5 }, 'label must be text, got 5'],
  ['no number', z.number(), 'x', 'value must be a number, got "x"'],
  ['no number, of a range', z.int().min(1).max(9), 'x', 'value must be a whole number between 1 and 9, got "x"'],
  ['no whole number', z.int().min(1), 1.5, 'value must be a whole number, at least 1, got 1.5'],
  ['text that is not a number', z.coerce.number(), 'x', 'value must be a number'],
  ['no boolean', z.boolean(), 'yes', 'value must be true or false, got "yes"'],
  ['no list', z.array(z.string()), {}, 'value must be a list, got {}'],
  ['no object', z.object({}), null, 'value must be an object, got null'],
  ['too large', z.int().min(1).max(500), 900, 'value must be between 1 and 500, got 900'],
  ['too small', z.number().min(0.1).max(1_000), 0, 'value must be between 0.1 and 1000, got 0'],
  ['too small, without a maximum', z.int().min(1), 0, 'value must be at least 1, got 0'],
  ['too large, without a minimum', z.number().max(9), 10, 'value must be at most 9, got 10'],
  ['not positive', z.number().positive(), 0, 'value must be more than 0, got 0'],
  ['not negative', z.number().lt(0), 0, 'value must be less than 0, got 0'],
  ['no safe integer', z.int(), 2 ** 60, 'value must be at most 9007199254740991, got 1152921504606847000'],
  ['text too long', z.string().min(1).max(3), 'abcd', 'value must have 1 to 3 characters, got 4'],
  ['text too short', z.string().min(32), 'secret', 'value must have at least 32 characters, got 6'],
  ['text too long, without a minimum', z.string().max(1), 'ab', 'value must have at most 1 character, got 2'],
  ['text of another length', z.string().length(3), 'ab', 'value must have 3 characters, got 2'],
  ['list too long', z.array(z.string()).min(1).max(2), ['a', 'b', 'c'], 'value must have 1 to 2 items, got 3'],
  ['list too short', z.array(z.string()).min(1), [], 'value must have at least 1 item, got 0'],
  ['an unknown value', z.enum(['5m', '1h']), '7m', 'value must be one of 5m, 1h, got "7m"'],
  ['another literal', z.literal('max'), 'min', 'value must be max, got "min"'],
  ['no address', z.url(), 'example.com', 'value must be an address such as https://example.com'],
  ['no uuid', z.uuid(), 'x', 'value must be a UUID such as 3f2c8a52-6d0e-4c1b-9a57-0d6f1b2c3e4d'],
  ['no day', z.iso.date(), 'x', 'value must be a day such as 2026-11-15'],
  ['no time', z.iso.datetime(), 'x', 'value must be a time such as 2026-11-15T12:00:00Z'],
  ['another format', z.ipv4(), 'x', 'value must be of the form ipv4'],
  ['a pattern', z.string().regex(/^0x/), '1', 'value must match /^0x/'],
  ['no multiple', z.number().multipleOf(5), 7, 'value must be a multiple of 5, got 7'],
  [
    'an unknown member',
    z.strictObject({ a: z.string().optional() }),
    { b: 1 },
    'value has an unknown member: b; allowed are a',
  ],
  ['unknown members', z.strictObject({}), { b: 1, c: 1 }, 'value has unknown members: b, c'],
  [
    'a key',
    z.record(z.string().min(2), z.any()),
    { a: 1 },
    'a has an entry that is not allowed: it must have at least 2 characters, got 1',
  ],
  ['an entry', z.set(z.number()), new Set(['x']), 'value must be a number, got "x"'],
  ['a rule without a text', z.string().refine(() => false), 'x', 'value is not valid, got "x"'],
  ['a rule with a text', z.string().refine(() => false, 'must be even'), 'x', 'value must be even'],
  [
    'a text of the schema',
    z.union([z.int(), z.literal('max')], 'must be a number or max'),
    'x',
    'value must be a number or max',
  ],
  ['no form of a union', z.union([z.int(), z.boolean()]), 'x', 'value is not valid, got "x"'],
  ['no kind', Frame, {}, 'op is required and must be one of ping, subscribe'],
  ['another kind', Frame, { op: 'pong' }, 'op must be one of ping, subscribe, got "pong"'],
  ['no member of any form', Pair, {}, 'value must have one of these forms: {slug}, {coin, timeframe}'],
  [
    'a member of the meant form',
    Frame,
    { op: 'subscribe', pairs: [{ slug: 'a' }, { coin: 'BTC', timeframe: '7m' }] },
    'pairs[1].timeframe must be one of 5m, 1h, got "7m"',
  ],
  ['a long value', z.literal('a'), 'b'.repeat(100), `value must be a, got "${'b'.repeat(38)}…`],
])('%s', (_kind, schema, value, sentence) => {
  const checked = checkValue(schema, value, 'value')
  const problems = 'problems' in checked ? checked.problems : []
  expect(problems.map(({ parameter, problem }) => `${parameter} ${problem}`)).toEqual([sentence])
})

test('lists and objects of any depth are refused with a sentence', () => {
  const deep = (open: string, close: string) => JSON.parse(open.repeat(100_000) + close.repeat(100_000)) as unknown
  const sentenceOf = (value: unknown) => {
    const checked = checkValue(Frame, { op: value }, 'frame')
    return 'problems' in checked ? checked.problems[0].problem : ''
  }
  expect(sentenceOf(deep('[', ']'))).toBe('must be one of ping, subscribe, got a list')
  expect(sentenceOf(deep('{"a":[', ']}'))).toBe('must be one of ping, subscribe, got an object')
})

test('a value that is allowed is returned as the schema reads it', () => {
  expect(checkValue(z.object({ n: z.coerce.number() }), { n: '5' }, 'value')).toEqual({ data: { n: 5 } })
})
