import { describe, expect, test } from 'vitest'
import { type ApiDocument, type Operation, operationsOf } from '../tools/sdk/operations.ts'
import { textOf, trackedFiles } from './repository.ts'

const document = JSON.parse(textOf('docs/openapi.json')) as ApiDocument
const operations = operationsOf(document)
const withKey = operations.map(({ id }) => id)
const ofSession = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods) as { operationId: string }[])
  .map(({ operationId }) => operationId)
  .filter((id) => !withKey.includes(id))

function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([\w]+)`/g)].map(([, name = '']) => name)
}

/** The names in a sentence that begins like this. */
function sentence(page: string, start: string): string[] {
  const [, names = ''] = new RegExp(`^${start}: ([^.\\n]*)\\.`, 'm').exec(textOf(page)) ?? []
  return quotedIn(names)
}

/** The names in the last column of a table, by its first one. */
function table(page: string, head: RegExp): Map<string, string[]> {
  const [, rows = ''] = head.exec(textOf(page)) ?? []
  return new Map(
    rows
      .trim()
      .split('\n')
      .map((row) => row.split('|').map((cell) => cell.trim()))
      .map(([, first = '', last = '']) => [first, quotedIn(last)]),
  )
}

const TABLE_BELOW = '\\n[| -]+\\n((?:\\|.*\\n)+)'

test.each(['sdk/README.md', 'cli/README.md'])('%s says what is only in the console, not with a key', (page) => {
  expect(sentence(page, 'Only in the console, not with a key')).toEqual(ofSession)
})

test('sdk/README.md lists every method of every group', () => {
  const methods = [...Map.groupBy(operations, ({ group }) => group)].map(([group, some]): [string, string[]] => [
    `\`client.${group}\``,
    some.map(({ method }) => method),
  ])
  expect([...table('sdk/README.md', new RegExp(`\\| Group \\| Methods \\|${TABLE_BELOW}`))]).toEqual(methods)
})

describe('cli/README.md', () => {
  const commands = table('cli/README.md', new RegExp(`\\| Commands +\\| Operations +\\|${TABLE_BELOW}`))
  const without = sentence('cli/README.md', 'Without a command, but in the SDK')
  const sources = trackedFiles()
    .filter((file) => file.startsWith('cli/src/'))
    .map(textOf)
    .join('\n')

  /** Also as pages, as a dry run, or by its name. */
  function isCalled({ id, group, method }: Operation): boolean {
    const every = `all${method.slice(0, 1).toUpperCase()}${method.slice(1)}`
    return new RegExp(`\\b${group}\\.(${method}(Pages|DryRun)?|${every})\\(|'${id}'`).test(sources)
  }

  test('names every operation once: with its command, or as one without', () => {
    expect([...commands.values(), without].flat().toSorted()).toEqual(withKey.toSorted())
  })

  test('names no operation as one without a command that a command calls', () => {
    expect(operations.filter((each) => without.includes(each.id) && isCalled(each)).map(({ id }) => id)).toEqual([])
    const called = operations.filter(isCalled).map(({ id }) => id)
    expect(called).toEqual(expect.arrayContaining(['list_prices', 'list_exchange_trades', 'get_sample_file']))
  })

  test('names commands that exist', () => {
    const named = [...commands.keys()].flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name))
    expect(named).toContain('perp-hour')
    expect(named.filter((name) => !sources.includes(`.command('${name}')`))).toEqual([])
  })
})
