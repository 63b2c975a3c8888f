// Nightly: kills engines and roles, and runs in real time for minutes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { allExperiments } from './all-experiments.ts'
import { runLab } from './run-lab.ts'

/**
 * Only what is right or wrong is held against a bound here: how fast it goes depends on
 * the machine, so bounds of speed are as wide as they can be.
 */
const SHORT: Record<string, readonly string[]> = {
  attack:
    '--seconds 6 --sink-seconds 3 --load 0.2 --patience 1000 --refused 1000 --markets 20 --slots 200 --ratio 1000000 --growth-mb 2000 --loop-ms 600000'.split(
      ' ',
    ),
  capture: ['--markets', '60', '--minutes', '0.2', '--offset-ms', '600000', '--stored', '1', '--lag-ms', '600000'],
  continuity: '--clients 12 --kills 2 --faults 4 --ends 3 --seconds 12 --markets 30'.split(' '),
  fanout:
    '--sockets 40 --stopped 10 --seconds 6 --rounds 1 --round-seconds 2 --ratio 0 --delivered 1 --lag-ms 600000 --stopped-factor 1000000 --growth-mb 2000'.split(
      ' ',
    ),
  halves: '--markets 40 --minutes 0.1 --settle 3 --share 1'.split(' '),
  leases: ['--schedules', '9'],
  kill: ['--kills', '3', '--markets', '40'],
  money:
    '--clients 100 --charges 150 --kills 1 --accounts 8 --rate-seconds 3 --busy 1 --repeats 2 --expiries 2 --overshoot 80 --shortfall 150 --revocations 4'.split(
      ' ',
    ),
  payments: '--callbacks 300 --walks 40 --kills 3 --each 4 --answer-ms 600000'.split(' '),
  read: '--markets 40 --rounds 1 --seconds 1 --samples 5 --recorded 20 --accounts 60 --live-ratio 0 --snapshot-ratio 1000'.split(
    ' ',
  ),
  recorders: '--markets 40 --joins 0 --kills 1 --cpu-seconds 0'.split(' '),
  replay: '--markets 30 --compared 10 --minutes 0.2 --speed 0'.split(' '),
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
}

interface Result {
  readonly experiment: string
  readonly bounds: readonly { readonly name: string; readonly value: number; readonly ok: boolean }[]
  readonly series?: Readonly<Record<string, unknown>>
}

// Much of each is waiting, for processes to start or for rows, which several can do at once.
test.concurrent.for(allExperiments.map(({ name }) => name))(
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
    const args = [name, ...(SHORT[name] ?? []), ...plot, '--json', file]
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
