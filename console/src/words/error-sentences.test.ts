import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorText, KNOWN_ERROR_CODES } from './error-sentences.ts'

const ERRORS_PAGE = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
const DOCUMENTED = [...ERRORS_PAGE.matchAll(/^\| [\d, ]+ \| \[`(\w+)`\]/gm)].map(([, code = '']) => code)

test('every documented error has a sentence and a next step', () => {
  expect(DOCUMENTED.length).toBeGreaterThan(30)
  const known: readonly string[] = KNOWN_ERROR_CODES
  expect(DOCUMENTED.filter((code) => !known.includes(code))).toEqual([])
  for (const code of KNOWN_ERROR_CODES) {
    const { title, next } = errorText(code, 'What the service says.')
    expect(title, code).toMatch(/^[A-Z].*\.$/)
    expect(next, code).toMatch(/^[A-Z].*\.$/)
  }
})

/** What the service itself says in each recorded refusal. */
const EXAMPLES = new URL('../../../docs/examples/errors/', import.meta.url)

test.each(DOCUMENTED)('the recorded refusal %s has a sentence and a next step that a person can follow', (code) => {
  const file = readdirSync(EXAMPLES).find((name) => name === `${code}.json`)
  expect(file).toBeDefined()
  const example = JSON.parse(readFileSync(new URL(file ?? '', EXAMPLES), 'utf8'))
  const { title, next } = errorText(code, messageIn(example) ?? '')
  expect(title).not.toBe('The request failed.')
  expect(next).toMatch(/[.)]$/)
  expect(next).not.toBe(title)
  expect(next.length).toBeGreaterThan(5)
})

function messageIn(example: unknown): string | undefined {
  if (typeof example !== 'object' || example === null) return undefined
  if ('message' in example && typeof example.message === 'string') return example.message
  return Object.values(example)
    .map(messageIn)
    .find((message) => message !== undefined)
}

test('facts of one request come from the service, and an unknown code is shown with its message', () => {
  expect(errorText('key_limit_reached', 'Revoke one first.').next).toBe('Revoke one first.')
  expect(errorText('network', 'ECONNRESET').next).not.toContain('ECONNRESET')
  expect(errorText('newer_code', 'Do this.')).toEqual({ title: 'The request failed.', next: 'Do this.' })
  expect(errorText('constructor', '').next).toBe('Code: constructor.')
})
