import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generatedPages } from '../tools/generated-pages.ts'
import { ROOT, textOf, trackedFiles } from './repository.ts'

const pages = trackedFiles().filter((file) => file.endsWith('.md'))
/** They tell of their day, and are not rewritten when a file goes. */
const isOfThePast = (page: string): boolean => page === 'CHANGELOG.md' || page.startsWith('docs/decisions/')

/** Paths of this repository in backticks, such as `simulator/src/world/book.ts`; a `…` or `<x>` is a pattern, not a path. */
function pathsIn(page: string): string[] {
  const quoted = [...textOf(page).matchAll(/`([\w.@-]+(?:\/[\w.@-]+)+\/?)`/g)].map(([, path]) => path ?? '')
  const tops = new Set(trackedFiles().map((file) => file.split('/')[0]))
  return quoted.filter((path) => tops.has(path.split('/')[0]))
}

function linksIn(page: string): string[] {
  return [...textOf(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
}

describe('documents cite what exists', () => {
  test.each(pages.filter((page) => !isOfThePast(page)))('%s', (page) => {
    const known = (path: string): boolean => existsSync(join(ROOT, path))
    expect(pathsIn(page).filter((path) => !known(path))).toEqual([])
    expect(linksIn(page).filter((link) => !known(posix.join(dirname(page), link)))).toEqual([])
  })

  test('every `npm run` command in the documents is a script', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    const named = pages.flatMap((page) =>
      [...textOf(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? ''),
    )
    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('docs/limits.md names constants that exist', () => {
  const page = textOf('docs/limits.md')

  test('in the code of the service and the console', () => {
    const named = [...page.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name ?? '')
    const code = trackedFiles()
      .filter((file) => /^(service|console)\/src\/.*(?<!\.test)\.ts$/.test(file))
      .map(textOf)
      .join('\n')
    const words = new Set(code.match(/\b[A-Z][A-Z0-9_]+\b/g))
    expect(named).toContain('MAX_PARTS')
    expect(named.filter((name) => !words.has(name))).toEqual([])
  })

  test('each in the file before it', () => {
    const cited = [...page.matchAll(/`((?:service|console)\/src\/[^`]+)` \(([^)]+)\)/g)].flatMap(
      ([, file = '', names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ file, name })),
    )
    expect(cited).toContainEqual({ file: 'service/src/gateway/replay/charged-rows.ts', name: 'MAX_PARTS' })
    expect(cited.filter(({ file, name }) => !new RegExp(`\\b${name}\\b`).test(textOf(file)))).toEqual([])
  })
})

describe('the glossary', () => {
  const TERMS =
    'venue market token book level slot interval snapshot proof doubt gap missing suspect cause shard lease fence batch tier credit charge'

  test.each(TERMS.split(' '))('defines %s', (term) => {
    expect(textOf('docs/glossary.md')).toMatch(new RegExp(`^\\| \\*\\*${term}\\*\\* \\| \\S`, 'm'))
  })

  test.each(['README.md', 'ARCHITECTURE.md'])('%s links to it', (page) => {
    expect(linksIn(page)).toContain('docs/glossary.md')
  })
})

const generated = Object.entries(generatedPages())

test.each(generated)('%s is what the code would write now (if not: npm run docs)', (file, text) => {
  expect(textOf(file)).toBe(text)
})

test('the pages of endpoints name no price for what needs no key', () => {
  const facts = pages
    .filter((page) => page.startsWith('docs/endpoints/'))
    .flatMap((page) => [...textOf(page).matchAll(/^- Access: (.*)\n- Price: (.*)$/gm)])
  const prices = facts.filter(([, access]) => access?.startsWith('public')).map(([, , price]) => price)
  expect(prices.length).toBeGreaterThan(5)
  expect([...new Set(prices)]).toEqual(['free'])
})
