import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CAUSE_GROUPS, causeText, KNOWN_GAP_CAUSES } from './gap-causes.ts'

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))

test('every cause that the API documents has a group, a name and a sentence of its own', () => {
  const documented: string[] = DOCUMENT.components.schemas.GapEntry.properties.cause.anyOf[0].enum
  expect(new Set(documented)).toEqual(new Set(KNOWN_GAP_CAUSES))
  const texts = KNOWN_GAP_CAUSES.map(causeText)
  for (const { group, sentence } of texts) {
    expect(CAUSE_GROUPS).toContain(group)
    expect(sentence).toMatch(/^[A-Z].*\.$/)
  }
  expect(new Set(texts.map(({ sentence }) => sentence)).size).toBe(texts.length)
})

test('an unknown cause is shown by its code, also one that is a name of JavaScript', () => {
  expect(causeText('solar_flare')).toMatchObject({ group: 'other', name: 'solar flare' })
  expect(causeText('constructor').sentence).toContain('constructor')
})
