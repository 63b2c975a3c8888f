import { PLAN } from '../../lab/src/clean-machine/plan.ts'

/** What a command or program of a page shows. Without an entry it must end with exit code 0 and show no API error. */
export interface Expectation {
  readonly shows: RegExp
  readonly run?: 'to its end' | 'until Ctrl-C'
}

const PROGRAM_OUTPUT: Record<string, Expectation> = {
  'docs/websocket.md js': {
    shows: /^0x[0-9a-f]{64} \d+ \[ [\d.]+, [\d.]+ \] \[ [\d.]+, [\d.]+ \]$/m,
    run: 'until Ctrl-C',
  },
  'sdk/README.md ts': { shows: /block \d+ ended/ },
}

/** Programs of pages: all blocks of one language. */
export function programOutput(page: string, language: string): Expectation {
  return PROGRAM_OUTPUT[`${page} ${language}`] ?? { shows: /^/ }
}

const COMMAND_OUTPUT: readonly (Expectation & { readonly command: RegExp })[] = [
  { command: /^npm run bot\b(?!.*--help)/, shows: /^first book: /m, run: 'until Ctrl-C' },
  { command: /^claude mcp add/, shows: /tools/ },
  { command: /stream\.py/, shows: /verified/, run: 'until Ctrl-C' },
]

/** README commands that would change this machine or need fixed ports: `npm run lab -- clean-machine` runs them. */
export function isRunOnCleanMachine(command: string): boolean {
  return /^npm ci$|^npm run (dev|stack|sim|record:simulated)\b|\.stack\/stack\.env|CLICKHOUSE_URL/.test(command)
}

export function isPlanned(command: string): boolean {
  return PLAN.some((planned) => planned.command === onOneLine(command))
}

/** The plan of the clean machine knows the output of the README's commands. */
export function commandOutput(command: string): Expectation | undefined {
  const own = COMMAND_OUTPUT.find((expected) => expected.command.test(command))
  if (own !== undefined) return own
  const planned = PLAN.find((each) => each.command === onOneLine(command))
  if (planned === undefined) return undefined
  return { shows: planned.expects, run: planned.run === 'until Ctrl-C' ? 'until Ctrl-C' : 'to its end' }
}

function onOneLine(command: string): string {
  return command.replaceAll(/\\\n\s*/g, '')
}
