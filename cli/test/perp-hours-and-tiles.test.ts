import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FROZEN_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { storePastPerp } from '@bookreel/testbed/service/past-perp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliScene } from './cli-scene.ts'

const BOOKS = 50
const GAPS = 30

let scene: CliScene
let key: string
let past: PastMarket
let folder: string

beforeAll(async () => {
  scene = await CliScene.open()
  folder = mkdtempSync(join(tmpdir(), 'bookreel-perp-hours-'))
  key = await scene.service.keyOf('scale')
  past = await PastMarket.save(scene.service, 'tiles')
  await past.putRows(past.rows(0, 39))
  await storePastPerp(scene.service, { symbol: 'ZEC', fromMs: FROZEN_HOUR_MS, books: BOOKS, gaps: GAPS })
}, 360_000)

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await scene?.[Symbol.asyncDispose]()
})

describe('perp-hour', () => {
  const hour = ['perp-hour', 'zec', '--hour', String(FROZEN_HOUR_MS + 60_000)]

  test('shows books, price and gaps of the hour that contains the time', async () => {
    const { stdout, code } = await scene.run(hour, { key })
    expect(code).toBe(0)
    expect(stdout).toMatch(/ZEC, hour from .*: 50 books, 1 credit\./)
    expect(stdout).toContain('missing, capturer_down')
    const report = JSON.parse((await scene.run([...hour, '--json'], { key })).stdout)
    expect(report).toMatchObject({ rows: BOOKS, credits: 1, gap_count: GAPS + 1 })
  })

  test('asks before it spends credits, and writes the file', async () => {
    const unasked = await scene.run([...hour, '--out', folder], { key })
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('50 books cost up to 1 credit')])
    const { stdout, code, stderr } = await scene.run([...hour, '--out', folder, '--yes', '--json'], { key })
    expect(code, stderr).toBe(0)
    const { path, credits_charged: charged, bytes } = JSON.parse(stdout)
    expect(charged).toBe(1)
    expect(path).toBe(join(folder, `ZEC-perp-${new Date(FROZEN_HOUR_MS).toISOString().slice(0, 13)}Z.parquet`))
    const file = readFileSync(path)
    expect([file.length, file.subarray(0, 4).toString()]).toEqual([bytes, 'PAR1'])
  })

  test('an hour without books has no file', async () => {
    const before = ['perp-hour', 'ZEC', '--hour', String(FROZEN_HOUR_MS - 3_600_000)]
    expect((await scene.run(before, { key })).stdout).toContain('no books')
    expect((await scene.run([...before, '--out', folder, '--yes'], { key })).code).toBe(4)
  })
})

test('perp gaps say how many of them are shown', async () => {
  const range = ['--from', String(FROZEN_HOUR_MS), '--to', String(FROZEN_HOUR_MS + 3_600_000)]
  const { stderr } = await scene.run(['perp', 'gaps', 'ZEC', ...range], { key })
  expect(stderr).toContain(`Showing 20 of ${GAPS + 1} gaps; raise --limit`)
  const { stderr: all } = await scene.run(['perp', 'gaps', 'ZEC', ...range, '--limit', '100'], { key })
  expect(all).not.toContain('Showing')
})

test('search says how many markets match', async () => {
  const { stderr } = await scene.run(['search', 'bitcoin', '--limit', '1'], { key })
  expect(stderr).toMatch(/Showing 1 of \d+ markets; raise --limit or use more words\./)
})

test('a fine tile of a heat map costs a credit, so it needs --yes', async () => {
  const tile = ['heatmap', past.market.id, '--from', String(FROZEN_HOUR_MS), '--json']
  const unasked = await scene.run([...tile, '--column-ms', '250'], { key })
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('costs up to 1 credit')])
  const drawn = await scene.run([...tile, '--column-ms', '250', '--yes'], { key })
  expect([drawn.code, JSON.parse(drawn.stdout).column_ms]).toEqual([0, 250])
  expect((await scene.run([...tile, '--column-ms', '1000'], { key })).code).toBe(0)
  const perp = ['heatmap', 'ZEC/perp', '--from', String(FROZEN_HOUR_MS), '--json']
  expect((await scene.run([...perp, '--column-ms', '1000'], { key })).code).toBe(2)
  expect((await scene.run([...perp, '--column-ms', '2000'], { key })).code).toBe(0)
})
