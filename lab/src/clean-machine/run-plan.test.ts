import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mountsBelow } from './clean-room.ts'
import type { PlannedCommand } from './plan.ts'
import { RoomCommand } from './room-command.ts'
import { PlanRunner } from './run-plan.ts'

const usual = { from: 'README', terminal: 'first', run: 'to its end', expects: /^/, withinSeconds: 10 } as const

/** Runs the real shell in a folder of this machine instead of a clean room. */
async function run(plan: readonly PlannedCommand[]) {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-plan-'))
  const env = { PATH: '/usr/bin:/bin' }
  const room = { start: (script: string) => new RoomCommand('/bin/bash', ['-c', script], env) }
  const runner = new PlanRunner(room, folder, () => {}, new AbortController().signal)
  try {
    const isWhole = await runner.run(plan)
    return { isWhole, told: runner.results.map(({ step, problem }) => [step, problem]) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('commands of one terminal share variables, those of another do not', async () => {
  const { isWhole, told } = await run([
    { ...usual, command: 'NAME=value', run: 'sets variables', expects: /^$/ },
    { ...usual, command: 'echo "[$NAME]"', expects: /\[value\]/ },
    { ...usual, command: 'echo "<$NAME>"', terminal: 'second', expects: /<>/ },
  ])
  expect(isWhole).toBe(true)
  expect(told.filter(([, problem]) => problem !== undefined)).toEqual([])
})

test('a running command gets Ctrl-C before the next command of its terminal, or at the end', async () => {
  const { told } = await run([
    {
      ...usual,
      command: "trap 'echo bye; exit' INT; touch up; echo up; while :; do sleep 0.1; done",
      run: 'until Ctrl-C',
      expects: /up/,
      afterCtrlC: /bye/,
    },
    { ...usual, command: 'ls up', terminal: 'second', expects: /^up$/ },
    { ...usual, command: 'echo next', expects: /next/ },
    { ...usual, command: 'echo waits; exec sleep 60', run: 'until Ctrl-C', expects: /waits/ },
  ])
  expect(told.map(([step, problem]) => [step?.slice(0, 12), problem])).toEqual([
    ["trap 'echo b", undefined],
    ['ls up', undefined],
    ['Ctrl-C: trap', undefined],
    ['echo next', undefined],
    ['echo waits; ', undefined],
    ['Ctrl-C: echo', undefined],
  ])
})

test('failures are reported with exit code, output and time, and the plan stops after an essential command', async () => {
  const { isWhole, told } = await run([
    { ...usual, command: 'exit 3' },
    { ...usual, command: 'echo other', expects: /wanted/ },
    { ...usual, command: 'sleep 60', withinSeconds: 0.3 },
    { ...usual, command: 'echo early', run: 'until Ctrl-C', expects: /wanted/ },
    { ...usual, command: 'false', terminal: 'second', isEssential: true },
    { ...usual, command: 'echo never' },
  ])
  expect(isWhole).toBe(false)
  expect(told).toEqual([
    ['exit 3', 'ended with 3'],
    ['echo other', 'did not show /wanted/'],
    ['sleep 60', 'still running after 0.3 s'],
    ['echo early', 'did not show /wanted/: it ended'],
    ['false', 'ended with 1'],
    ['Ctrl-C: echo early', undefined],
  ])
})

test('a repeatable command is repeated until the expected output appears', async () => {
  const { told } = await run([
    { ...usual, command: 'test -e seen && echo there; touch seen', expects: /there/, repeat: true },
  ])
  expect(told).toEqual([['test -e seen && echo there; touch seen', undefined]])
})

test('mounts at or below a folder are found, and no others', () => {
  const mountInfo = `22 1 0:20 / / rw - ext4 disk rw
30 22 0:30 / /tmp/one rw - tmpfs tmpfs rw
31 22 0:31 / /tmp/one/proc rw - proc proc rw
32 22 0:32 / /tmp/one-other rw - tmpfs tmpfs rw
`
  expect(mountsBelow('/tmp/one', mountInfo)).toEqual(['/tmp/one', '/tmp/one/proc'])
})
