import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { cliCommand } from './cli-command.ts'

const RANGE = { fromMs: Date.parse('2026-11-18T10:00:00Z'), toMs: Date.parse('2026-11-18T12:00:00Z') }
const TIMES = '--from 2026-11-18T10:00:00Z --to 2026-11-18T12:00:00Z'
const ORIGIN = 'https://api.example.com'

test('hours are one command, whatever is chosen', () => {
  const command = (choice: Parameters<typeof cliCommand>[0]['choice']) =>
    cliCommand({ product: 'hours', choice, ...RANGE }, ORIGIN)
  expect(command({ by: 'series', coin: 'BTC', timeframe: '5m' })).toBe(
    `bookreel --url ${ORIGIN} download --markets BTC/5m,kalshi:BTC/5m ${TIMES} --out books`,
  )
  expect(command({ by: 'series', coin: 'BTC', timeframe: '1h', venue: 'kalshi' })).toContain('--markets kalshi:BTC/1h ')
  expect(command({ by: 'markets', ids: ['0xa', '0xb'] })).toContain('--markets 0xa,0xb ')
  expect(command({ by: 'category', category: 'sports' })).toContain('--markets category:sports,kalshi:category:sports ')
})

test('snapshots are one command for each market, and no command reads those of a series', () => {
  const choice = { by: 'markets', ids: ['0xa', '0xb'] } as const
  expect(cliCommand({ product: 'snapshots', choice, ...RANGE }, ORIGIN)?.split('\n')).toEqual([
    `bookreel --url ${ORIGIN} snapshots 0xa ${TIMES} --all --book --json`,
    `bookreel --url ${ORIGIN} snapshots 0xb ${TIMES} --all --book --json`,
  ])
  const series = { by: 'series', coin: 'BTC', timeframe: '5m' } as const
  expect(cliCommand({ product: 'snapshots', choice: series, ...RANGE }, ORIGIN)).toBeUndefined()
})

test('a word that a shell would not take as it is, is quoted', () => {
  const ids = ['$(reboot)', "x'; reboot; '", 'a`b`', '-o', '0xa\nreboot']
  const shown = (id: string) =>
    cliCommand({ product: 'snapshots', choice: { by: 'markets', ids: [id] }, ...RANGE }, ORIGIN)
  for (const id of ids) {
    const words = execFileSync('sh', ['-c', `bookreel() { printf '%s\\0' "$@"; }; ${shown(id)}`])
    expect(words.toString().split('\0').slice(0, 4)).toEqual(['--url', ORIGIN, 'snapshots', id])
  }
  const hours = cliCommand(
    { product: 'hours', choice: { by: 'series', coin: 'BTC;reboot', timeframe: '5m' }, ...RANGE },
    ORIGIN,
  )
  expect(hours).toContain("--markets 'BTC;reboot/5m,kalshi:BTC;reboot/5m' ")
})
