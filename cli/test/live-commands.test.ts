import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliScene } from './cli-scene.ts'

/** With a recorder, because these commands print what changes. */
let scene: CliScene
let key: string

const ESCAPE = '\u001b'
/** The market that ends last. */
let lasting: string

beforeAll(async () => {
  scene = await CliScene.open({ record: { size: { hot: 4, medium: 4, cold: 4 } } })
  key = await scene.service.keyOf('scale')
  const { stores, nowMs } = scene.service
  lasting = stores.catalogue.list({ category: 'crypto', statuses: ['live'] }, nowMs()).at(-1)?.slug ?? ''
}, 360_000)

afterAll(() => scene?.[Symbol.asyncDispose]())

test('watch prints one line per frame until it is interrupted', async () => {
  const running = scene.start(['watch', lasting, '--json'], { key })
  await running.until(({ stdout }) => stdout.split('\n').length > 6)
  running.child.kill('SIGINT')
  const { code, stdout, stderr } = await running.ended
  expect([code, stderr]).toEqual([130, ''])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events[0]).toMatchObject({ type: 'connected' })
  const seqs = events.filter(({ type }) => type === 'snapshot').map(({ seq }) => seq)
  expect(seqs.length).toBeGreaterThan(1)
  expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other))
})

test('watch exits with code 0 when the reader of its pipe closes it', async () => {
  const command = `'${process.execPath}' --conditions=bookreel-source '${join(import.meta.dirname, '../src/main.ts')}' watch ${lasting} | head -n 2`
  const { code, stdout, stderr } = await scene.startProgram('sh', ['-c', command], { key }).ended
  expect([code, stdout.trim().split('\n').length, stderr]).toEqual([0, 2, ''])
})

test('book polls over REST when the tier has no streams', async () => {
  const running = scene.start(['book', lasting, '--json'], { key: await scene.service.keyOf('free') })
  await running.until(({ stdout }) => stdout.split('\n').length > 2)
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([130, expect.stringContaining('tier_not_allowed')])
})

test('book redraws in place and restores the terminal at the end', async () => {
  const running = scene.startInTerminal(['book', lasting], { key })
  await running.until(({ stdout }) => stdout.split(`${ESCAPE}[H`).length > 4 && stdout.includes('verified'))
  running.child.stdin.write('\u0003')
  const { code, stdout } = await running.ended
  expect(code).toBe(130)
  expect(stdout).toContain(`${ESCAPE}[32m`)
  expect(stdout.indexOf(`${ESCAPE}[?1049h`)).toBeLessThan(stdout.indexOf(`${ESCAPE}[?1049l`))
  expect(stdout.split(`${ESCAPE}[?1049l`)[1]).toMatch(/mid .* spread/)
})

test('NO_COLOR disables colours and redrawing', async () => {
  const running = scene.startInTerminal(['book', lasting], { key, variables: { NO_COLOR: '1' } })
  await running.until(({ stdout }) => stdout.split('seq ').length > 2)
  running.child.stdin.write('\u0003')
  expect((await running.ended).stdout).not.toContain(ESCAPE)
})
