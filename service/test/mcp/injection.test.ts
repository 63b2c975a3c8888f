import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { expect, test } from 'vitest'
import { ReplyShape } from '../../src/mcp/reply-shape.ts'
import { INJECTIONS } from './injection-corpus.ts'

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/u
const LONGEST = 300

/** A result of `list_live_markets` with a market that has these texts. */
function entryWith(text: string) {
  const { id, tokenIds } = madeMarket('injected')
  return {
    conditionId: id,
    category: 'crypto',
    subcategory: text,
    label: text,
    tokenIds,
    outcomes: ['Yes', 'No'],
    configId: 'crypto',
    slug: text,
    expired: false,
    expiresIn: 1_000,
    question: text,
    eventTitle: text,
    startDate: null,
    endDate: '2026-11-15T12:00:00.250Z',
    timeframe: '5m',
    status: 'live',
    outcomeNames: [text, text],
  }
}

function shaped(text: string): Record<string, unknown> {
  const shape = new ReplyShape({ depth: 10, omit: ['tokenIds', 'configId', 'expired'], areGapsRows: false })
  return shape.of(entryWith(text)) as Record<string, unknown>
}

/** Every path in a value, with the kind of what is there. */
function skeletonOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(skeletonOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, skeletonOf(member)]))
}

test('the corpus is large enough', () => {
  expect(new Set(INJECTIONS).size).toBeGreaterThanOrEqual(60)
})

test.each(INJECTIONS.map((text) => [JSON.stringify(text).slice(0, 50), text]))('%s changes no shape', (_, text) => {
  const entry = shaped(text)
  expect(skeletonOf(entry)).toEqual(skeletonOf(shaped('harmless')))
  const { untrusted_text: words, ...ours } = entry
  expect(JSON.stringify(ours)).toBe(JSON.stringify({ ...shaped('harmless'), untrusted_text: undefined }))
  for (const word of Object.values(words as Record<string, string | string[]>).flat()) {
    expect(word).not.toMatch(UNSEEN)
    expect(Array.from(word).length).toBeLessThanOrEqual(LONGEST)
  }
})

test('harmless text stays unchanged', () => {
  const plain = 'Will Zürich win? 東京 — “yes” 50 % 🎉'
  expect(shaped(plain).untrusted_text).toMatchObject({ question: plain, slug: plain })
})
