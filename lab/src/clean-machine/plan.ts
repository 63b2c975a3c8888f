/** How one command is run on the clean machine, and its expected output. */
export interface PlannedCommand {
  readonly command: string
  readonly from: 'machine' | 'README' | 'CI' | 'tests' | 'end'
  /** Commands of one terminal share variables. A command that still runs there gets Ctrl-C before the next one. */
  readonly terminal: 'first' | 'second' | 'third' | 'fourth'
  /**
   * `to its end`: must end with exit code 0. `sets variables`: the same, and later commands of its terminal have
   * them. `until Ctrl-C`: continues in the background after the expected output.
   */
  readonly run: 'to its end' | 'sets variables' | 'until Ctrl-C'
  readonly expects: RegExp
  readonly withinSeconds: number
  /** Repeated within the time above until the expected output appears, because recorded data needs a moment. */
  readonly repeat?: boolean
  /** Expected output after Ctrl-C. */
  readonly afterCtrlC?: RegExp
  /** Debian packages that the README lists, besides npm. */
  readonly packages?: readonly string[]
  /** The plan stops when it fails. */
  readonly isEssential?: boolean
}

const readme = { from: 'README', run: 'to its end', withinSeconds: 30 } as const

/** The steps of a new user. Every command of the README's code blocks must be here, in the same order. */
export const PLAN: readonly PlannedCommand[] = [
  {
    command: 'apt-get update -qq && apt-get install -qq --yes --no-install-recommends npm',
    from: 'machine',
    terminal: 'first',
    run: 'to its end',
    expects: /Setting up npm/,
    withinSeconds: 600,
    isEssential: true,
  },
  {
    ...readme,
    command: 'npm ci',
    terminal: 'first',
    expects: /added \d+ packages/,
    withinSeconds: 600,
    isEssential: true,
  },
  {
    command: 'npm run stack -- install',
    from: 'CI',
    terminal: 'first',
    run: 'to its end',
    expects: /postgres .*chromium /s,
    withinSeconds: 600,
    isEssential: true,
  },
  {
    ...readme,
    command: 'npm run dev',
    terminal: 'first',
    run: 'until Ctrl-C',
    expects: /Bookreel is running at .*Press Ctrl-C to stop everything/s,
    withinSeconds: 120,
    afterCtrlC: /All processes have stopped/,
    isEssential: true,
  },
  {
    ...readme,
    command: '. out/dev/keys.env',
    terminal: 'second',
    run: 'sets variables',
    expects: /^$/,
    packages: ['curl'],
  },
  {
    ...readme,
    command: 'curl -s -H "X-API-Key: $BOOKREEL_KEY" "$BOOKREEL_URL/v1/markets/live?crypto=BTC&timeframe=5m&limit=1"',
    terminal: 'second',
    expects: /"btc-updown-5m-\d+"/,
  },
  {
    ...readme,
    command: 'curl -s -H "X-API-Key: $BOOKREEL_KEY" "$BOOKREEL_URL/v1/markets/by-slug/btc-updown-5m/orderbook"',
    terminal: 'second',
    expects: /"bids":\[/,
  },
  {
    ...readme,
    command: 'python3 examples/python/day_to_dataframe.py --slug btc-updown-1h',
    terminal: 'second',
    expects: /mid-and-spread\.png/,
    withinSeconds: 120,
    packages: ['python3-pandas', 'python3-matplotlib'],
  },
  {
    ...readme,
    command:
      'BOOKREEL_KEY=$BOOKREEL_KEY_SCALE npm run cli -- download --markets BTC/1h --from 3h --to 1h --out out/hour --yes',
    terminal: 'second',
    expects: /Downloaded \d+ hours?/,
    withinSeconds: 120,
  },
  {
    ...readme,
    command: 'npm run bot -- --coin BTC --timeframe 5m',
    terminal: 'second',
    run: 'until Ctrl-C',
    expects: /(buys |sells) \d+ UP at/,
    withinSeconds: 120,
  },
  {
    ...readme,
    command: 'npm run cli -- book BTC/5m',
    terminal: 'second',
    run: 'until Ctrl-C',
    expects: /btc-updown-5m/,
  },
  { ...readme, command: 'npm run cli -- markets --help', terminal: 'second', expects: /Usage: npm run cli -- markets/ },
  {
    ...readme,
    command: 'npm run stack -- up',
    terminal: 'first',
    expects: /All engines healthy after/,
    withinSeconds: 90,
    isEssential: true,
  },
  { ...readme, command: 'npm run sim', terminal: 'first', run: 'until Ctrl-C', expects: /127\.0\.0\.1:4800/ },
  {
    ...readme,
    command: 'npm run sim -- listen',
    terminal: 'second',
    run: 'until Ctrl-C',
    expects: /price_change +UP/,
  },
  {
    ...readme,
    command: 'set -a; . .stack/stack.env; set +a',
    terminal: 'third',
    run: 'sets variables',
    expects: /^$/,
  },
  {
    ...readme,
    command: 'npm run record:simulated',
    terminal: 'third',
    run: 'until Ctrl-C',
    expects: /"roles":\["capture".*"process started"/,
    withinSeconds: 60,
  },
  {
    ...readme,
    command: 'set -a; . .stack/stack.env; set +a',
    terminal: 'fourth',
    run: 'sets variables',
    expects: /^$/,
  },
  {
    ...readme,
    command:
      'curl -s "$CLICKHOUSE_URL/?database=bookreel" -u "$CLICKHOUSE_USER:$CLICKHOUSE_PASSWORD" --data-binary "SELECT count() AS rows, uniq(market_id) AS markets, countIf(bitAnd(flags, 3) = 3) AS proved, max(slot_at) AS newest FROM snapshots FORMAT Vertical"',
    terminal: 'fourth',
    expects: /proved: +[1-9]/,
    withinSeconds: 60,
    repeat: true,
  },
  {
    command: 'npm run stack -- down',
    from: 'end',
    terminal: 'fourth',
    run: 'to its end',
    expects: /Stack stopped; .* removed/,
    withinSeconds: 30,
  },
  {
    command: 'npm test -- stack/test/start.test.ts',
    from: 'tests',
    terminal: 'first',
    run: 'to its end',
    expects: /Tests +\d+ passed/,
    withinSeconds: 300,
  },
  {
    command: 'npm test -- console/test/keys.test.ts',
    from: 'tests',
    terminal: 'first',
    run: 'to its end',
    expects: /Tests +\d+ passed/,
    withinSeconds: 300,
  },
]
