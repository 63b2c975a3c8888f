import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bound } from './bound.ts'
import { type Experiment, experiment } from './experiment.ts'
import { runLab } from './run-lab.ts'

const folder = mkdtempSync(join(tmpdir(), 'bookreel-lab-'))
afterAll(() => rmSync(folder, { recursive: true }))

const weigh = experiment({
  name: 'weigh',
  summary: 'Weighs a thing.',
  options: {
    thingCount: { description: 'how many', default: 2, atLeast: 1 },
    label: { description: 'what it is called', default: 'stone', oneOf: ['stone', 'brick'] },
  },
  async run({ thingCount, label }, progress) {
    progress(`weighing ${label}`)
    return {
      bounds: [bound('weight', thingCount * 1.5, '<=', 4, 'kg'), bound('things', thingCount, '>=', 1)],
      series: { weights: [1.5, { of: label }] },
    }
  },
})

const explode = experiment({
  name: 'explode',
  summary: 'Fails.',
  options: {},
  run: () => Promise.reject(new Error('the scales are broken')),
})

async function lab(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const experiments: Experiment[] = [weigh, explode]
  const code = await runLab(args, experiments, {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    colour: false,
    live: false,
  })
  return { code, out, err }
}

describe('a run', () => {
  test('exits 1 when a bound is broken, and still writes the JSON', async () => {
    const file = join(folder, 'deep', 'weigh.json')
    const { code, out } = await lab('weigh', '--thing-count', '3', '--label', 'brick', '--json', file)
    expect(out).toContain('weight       4.5  <= 4 kg  FAILED')
    expect(code).toBe(1)
    const written = JSON.parse(readFileSync(file, 'utf8'))
    expect(written).toEqual({
      experiment: 'weigh',
      settings: { thingCount: 3, label: 'brick' },
      bounds: [
        { name: 'weight', value: 4.5, bound: '<= 4 kg', ok: false },
        { name: 'things', value: 3, bound: '>= 1', ok: true },
      ],
      series: { weights: [1.5, { of: 'brick' }] },
    })
    expect(Object.keys(written)).toEqual(['experiment', 'settings', 'bounds', 'series'])
  })

  test('that fails exits 2, says why, and leaves no older result behind', async () => {
    const file = join(folder, 'old.json')
    writeFileSync(file, '{}')
    const { code, out, err } = await lab('explode', '--json', file)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toContain('explode failed: Error: the scales are broken')
    expect(existsSync(file)).toBe(false)
  })
})

describe('the command line', () => {
  test.each([
    [['weigh', '--thing-count', 'two'], "'two' is invalid. Must be a number, such as 2."],
    [['weigh', '--thing-count', '1e3'], 'Must be a number'],
    [['weigh', '--thing-count', '0'], 'Must be at least 1.'],
    [['weigh', '--label', ''], 'Must not be empty.'],
    [['weigh', '--label', 'ston'], 'Must be one of stone, brick.'],
    [['weigh', '--labl', 'x'], "unknown option '--labl'\n(Did you mean --label?)"],
    [['weigh', 'extra'], 'too many arguments'],
    [['wiegh'], "unknown command 'wiegh'\n(Did you mean weigh?)"],
    [[], 'Usage: lab <experiment>'],
  ])('refuses %j with a helpful sentence and exit code 2', async (args, sentence) => {
    const { code, out, err } = await lab(...args)
    expect(err).toContain(sentence)
    expect(out).toBe('')
    expect(code).toBe(2)
  })
})
