import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { allExperiments } from './all-experiments.ts'
import { runLab } from './run-lab.ts'

/**
 * Small enough for every change. Only what is right or wrong is held against a bound here: how fast it goes depends on
 * the machine, so bounds of speed are as wide as they can be.
 */
const SHORT: Record<string, readonly string[]> = {
  attack:
    '--seconds 6 --sink-seconds 3 --load 0.2 --patience 1000 --refused 1000 --markets 20 --slots 200 --ratio 1000000 --growth-mb 2000 --loop-ms 600000'.split(
      ' ',
    ),
  capture: ['--markets', '60', '--minutes', '0.2', '--offset-ms', '600000', '--stored', '1', '--lag-ms', '600000'],
  catalogue: '--markets 300 --seconds 1 --changes 20 --cpu 1000 --memory-mb 2000 --visible-ms 600000'.split(' '),
  checker: ['--batches', '2000', '--faults', '30', '--pace', '1'],
  continuity: '--clients 12 --kills 2 --faults 4 --ends 3 --seconds 12 --markets 30'.split(' '),
  doubts: ['--trades', '300', '--markets', '60'],
  download: '--markets 12 --slots 200 --kills 2 --parallel 1'.split(' '),
  fanout:
    '--sockets 40 --stopped 10 --seconds 6 --rounds 1 --round-seconds 2 --ratio 0 --delivered 1 --lag-ms 600000 --stopped-factor 1000000 --growth-mb 2000'.split(
      ' ',
    ),
  files: '--windows 12 --slots 50 --others 6 --kills 2 --speed 0 --memory-mb 2000'.split(' '),
  frames: '--frames 800 --calls 200 --markets 30 --busy 300 --reconnects 20'.split(' '),
  fuzz: ['--requests', '500', '--busy', '500', '--growth-mb', '2000'],
  guesses: '--guesses 1500 --addresses 4 --reads 20 --keys 4 --rounds 1 --difference-ms 600000 --busy 500'.split(' '),
  // Drawn by software on a busy machine: the bounds are those of a quiet one.
  console:
    '--markets 40 --slots 1200 --loads 1 --looks 1 --interruption 0 --seconds 3 --minutes 0.1 --first-rows-ms 20000 --first-map-ms 20000 --sample-ms 20000 --proved-ms 60000 --takeover-ms 20000 --ended-ms 20000 --played 10 --hour-ms 2000 --contrast-ms 500 --column-ms 100 --slow-frames 100 --long-tasks 1000 --busy 100'.split(
      ' ',
    ),
  halves: '--markets 40 --minutes 0.1 --settle 3 --share 1'.split(' '),
  hash: ['--batches', '1500', '--markets', '300'],
  kalshi: '--markets 60 --minutes 0.4 --proved 50'.split(' '),
  leases: ['--schedules', '9'],
  heatmap:
    '--markets 20 --stored 2 --slots 400 --requests 2 --cold-ms 60000 --cached-ms 60000 --coverage-ms 60000'.split(' '),
  kill: ['--kills', '3', '--markets', '40'],
  lookup: '--markets 40 --listed 500 --requests 5 --quotes 20 --quotes-ms 60000 --search-ms 60000'.split(' '),
  money:
    '--clients 100 --charges 150 --kills 1 --accounts 8 --rate-seconds 3 --busy 1 --repeats 2 --expiries 2 --overshoot 80 --shortfall 150 --revocations 4'.split(
      ' ',
    ),
  overload: '--markets 40 --minutes 0.2 --settle 5 --complete 1 --late 60000'.split(' '),
  payments: '--callbacks 300 --walks 40 --kills 3 --each 4 --answer-ms 600000'.split(' '),
  perps: ['--minutes', '0.3'],
  read: '--markets 40 --rounds 1 --seconds 1 --samples 5 --recorded 20 --accounts 60 --live-ratio 0 --snapshot-ratio 1000'.split(
    ' ',
  ),
  rebuild: '--markets 40 --kalshi 20 --minutes 0.2 --speed 0'.split(' '),
  recorders: '--markets 40 --joins 0 --kills 1 --cpu-seconds 0'.split(' '),
  replay: '--markets 30 --compared 10 --minutes 0.2 --speed 0'.split(' '),
  scale:
    '--markets 60 --worlds 1 --seconds 2 --requests 20 --sockets 4 --slots 200 --row-us 1000000 --book-us 1000000 --frame-us 1000000 --growth 1000'.split(
      ' ',
    ),
  store: [
    '--ticks',
    '120',
    '--markets',
    '60',
    '--speed-markets',
    '60',
    '--speed-ticks',
    '40',
    '--ratio',
    '0',
    '--bytes-factor',
    '3',
  ],
  // The other experiments that run at the same time keep the machine busy.
  status: '--minutes 0.5 --busy 0 --steps 1 --outages 0'.split(' '),
  'venue-frames': ['--frames', '20000', '--growth-mb', '2000'],
  venues: '--markets 60 --minutes 0.3 --stored 1 --false-gaps 100 --lines 1000'.split(' '),
  sim: ['--markets', '200', '--seconds', '3', '--lag-ms', '600000', '--core', '1000'],
}

/** It installs a whole Debian, which takes minutes; its parts have tests of their own. */
const ONLY_BY_HAND = ['clean-machine']

interface Result {
  readonly experiment: string
  readonly bounds: readonly { readonly name: string; readonly value: number; readonly ok: boolean }[]
  readonly series?: Readonly<Record<string, unknown>>
}

// Much of each is waiting, for processes to start or for rows, which several can do at once.
test.concurrent.for(allExperiments.map(({ name }) => name).filter((name) => !ONLY_BY_HAND.includes(name)))(
  'a short run of %s keeps its bounds',
  { timeout: 900_000 },
  async (name, { expect, onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'bookreel-lab-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'result.json')
    const told: string[] = []
    const screen = {
      out: (text: string) => told.push(text),
      err: (text: string) => told.push(text),
      colour: false,
      live: false,
    }
    const plot = ['attack', 'capture', 'fanout', 'read'].includes(name) ? ['--plot', join(folder, 'plot.svg')] : []
    const page = name === 'scale' ? ['--page', join(folder, 'scale.md')] : []
    const args = [name, ...(SHORT[name] ?? []), ...plot, ...page, '--json', file]
    const exitCode = await runLab(args, allExperiments, screen)
    const result: Result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { experiment: name, bounds: [] }
    const broken = result.bounds.filter(({ ok }) => !ok).map((each) => `${each.name}: ${each.value}`)
    const holes = result.series?.holes === undefined ? '' : `\nholes: ${JSON.stringify(result.series.holes)}`
    const why = broken.length > 0 ? `${broken.join(', ')}${holes}` : told.at(-1)
    expect(exitCode, `${why}\n${told.join('')}`).toBe(0)
    expect(result.experiment).toBe(name)
    expect(result.bounds.length).toBeGreaterThan(0)
  },
)
