import { type Command, CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { withSubcommands } from './role-program.ts'
import { serverProgram } from './server-program.ts'

const VERSION = '9.8.7'

const fail = () => Promise.reject(new Error('no settings'))

function newProgram(print: (text: string) => void): Command {
  const tools = {
    print: (line: string) => print(`${line}\n`),
    complain: print,
    readConfig: fail,
    readVenueAddresses: fail,
    run: fail,
    watch: fail,
  }
  const roles = ['capture', 'archive', 'hot', 'catalogue']
  const program = serverProgram({ name: 'bookreel-server', version: VERSION, roles, ...tools })
  for (const command of withSubcommands(program)) command.configureOutput({ writeOut: print, writeErr: print })
  return program
}

/** What the program prints and its exit code. Actions fail for want of settings. */
async function typed(...args: string[]): Promise<{ out: string; code: number }> {
  let out = ''
  try {
    await newProgram((text) => (out += text)).parseAsync(args, { from: 'user' })
    return { out, code: 0 }
  } catch (error) {
    if (!(error instanceof CommanderError)) return { out, code: 1 }
    return { out, code: error.exitCode === 0 ? 0 : 2 }
  }
}

/** The words that lead to each command: `[]`, `['run']`, `['accounts']`, `['accounts', 'list']`, … */
const WAYS = withSubcommands(newProgram(() => {})).map((command) => {
  const words: string[] = []
  for (let each = command; each.parent; each = each.parent) words.unshift(each.name())
  return words
})

test('all commands are walked', () => {
  expect(WAYS.length).toBeGreaterThan(20)
})

test.each(WAYS.map((words) => [words.join(' ') || '(none)', words] as const))(
  '%s: has help with usage, description and examples that are accepted, and a version',
  async (_, words) => {
    const help = await typed(...words, '--help')
    expect(help.code).toBe(0)
    expect(help.out).toMatch(new RegExp(`^Usage: ${['bookreel-server', ...words].join(' ')}( |\\n)`))
    expect(await typed(...words, '--version')).toEqual({ out: `${VERSION}\n`, code: 0 })
    const examples = [...help.out.matchAll(/^ {2}\$ bookreel-server (.*)$/gm)].map(([, line = '']) => line)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      const args = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
      expect(args.slice(0, words.length), example).toEqual(words)
      // Code 2 would be a refused argument.
      expect((await typed(...args)).code, example).toBe(example === 'settings' ? 0 : 1)
    }
  },
)

test.each([
  ['no command', []],
  ['an unknown command', ['nosuch']],
  ['an unknown subcommand', ['accounts', 'nosuch']],
  ['an unknown option', ['audit', '--nosuch']],
  ['a missing argument', ['accounts', 'events']],
  ['an argument too many', ['audit', 'twice']],
  ['a wrong role', ['run', 'nosuch']],
  ['a wrong number', ['accounts', 'grant', 'Ada', 'many']],
])('%s: wrong usage, exit code 2', async (_, args) => {
  expect(await typed(...args)).toMatchObject({ code: 2, out: expect.stringMatching(/Usage: |--help/) })
})
