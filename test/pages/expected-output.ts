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
  { command: /^npm run cli -- book BTC\/5m$/, shows: /btc-updown-5m/, run: 'until Ctrl-C' },
  { command: /^npm run cli -- markets --help$/, shows: /Usage: npm run cli -- markets/ },
  { command: /^BOOKREEL_KEY=\S+ npm run cli -- download /, shows: /Downloaded \d+ hours?/ },
  { command: /day_to_dataframe\.py --slug btc-updown-1h$/, shows: /mid-and-spread\.png/ },
  { command: /markets\/live\?crypto=BTC&timeframe=5m&limit=1"$/, shows: /"btc-updown-5m-\d+"/ },
  { command: /by-slug\/btc-updown-5m\/orderbook"$/, shows: /"bids":\[/ },
  { command: /^claude mcp add/, shows: /tools/ },
  { command: /stream\.py/, shows: /verified/, run: 'until Ctrl-C' },
]

/** README commands that would change this machine or need fixed ports are not run here. */
export function needsOwnMachine(command: string): boolean {
  return /^npm ci$|^npm run (dev|stack|sim|record:simulated)\b|\.stack\/stack\.env|CLICKHOUSE_URL/.test(command)
}

export function commandOutput(command: string): Expectation | undefined {
  return COMMAND_OUTPUT.find((expected) => expected.command.test(command))
}
