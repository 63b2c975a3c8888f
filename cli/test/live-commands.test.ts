import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliScene, type Running } from './cli-scene.ts'

let scene: CliScene
let key: string

const ESCAPE = '\u001b'
/** A busy market. */
let hot: string

beforeAll(async () => {
  scene = await CliScene.open({ world: 'moving' })
  key = await scene.service.keyOf('scale')
  hot = scene.service.world.hot.slug
})

afterAll(() => scene?.[Symbol.asyncDispose]())

/** Lets the world go on until the program has printed enough, or has ended. */
async function moveUntil(running: Running, isEnough: (running: Running) => boolean): Promise<void> {
  while (!isEnough(running) && running.child.exitCode === null) await scene.service.world.advance(250)
  await running.until(isEnough)
}

test('watch prints one line per frame until it is interrupted', async () => {
  const running = scene.start(['watch', hot, '--json'], { key })
  await running.until(({ stdout }) => stdout.includes('"connected"'))
  const first = scene.service.nowMs() / 250 + 1
  await moveUntil(running, ({ stdout }) => stdout.split('\n').length > 6)
  running.child.kill('SIGINT')
  const { code, stdout, stderr } = await running.ended
  expect([code, stderr]).toEqual([130, ''])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events[0]).toMatchObject({ type: 'connected' })
  const seqs = events.filter(({ type }) => type === 'snapshot').map(({ seq }) => seq)
  expect(seqs.slice(0, 5)).toEqual([first, first + 1, first + 2, first + 3, first + 4])
})

test('watch exits with code 0 when the reader of its pipe closes it', async () => {
  const command = `'${process.execPath}' --conditions=bookreel-source '${join(import.meta.dirname, '../src/main.ts')}' watch ${hot} | head -n 2`
  const running = scene.startProgram('sh', ['-c', command], { key })
  await moveUntil(running, ({ child }) => child.exitCode !== null)
  const { code, stdout, stderr } = await running.ended
  expect([code, stdout.trim().split('\n').length, stderr]).toEqual([0, 2, ''])
})

test('book polls over REST when the tier has no streams', async () => {
  const running = scene.start(['book', hot, '--json'], { key: await scene.service.keyOf('free') })
  await moveUntil(running, ({ stdout }) => stdout.split('\n').length > 2)
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([130, expect.stringContaining('tier_not_allowed')])
})

test('book redraws in place and restores the terminal at the end', async () => {
  const running = scene.startInTerminal(['book', hot], { key })
  await moveUntil(running, ({ stdout }) => stdout.split(`${ESCAPE}[H`).length > 4 && stdout.includes('verified'))
  running.child.stdin.write('\u0003')
  const { code, stdout } = await running.ended
  expect(code).toBe(130)
  expect(stdout).toContain(`${ESCAPE}[32m`)
  expect(stdout.indexOf(`${ESCAPE}[?1049h`)).toBeLessThan(stdout.indexOf(`${ESCAPE}[?1049l`))
  expect(stdout.split(`${ESCAPE}[?1049l`)[1]).toMatch(/mid .* spread/)
})

test('NO_COLOR disables colours and redrawing', async () => {
  const running = scene.startInTerminal(['book', hot], { key, variables: { NO_COLOR: '1' } })
  await moveUntil(running, ({ stdout }) => stdout.split('seq ').length > 2)
  running.child.stdin.write('\u0003')
  expect((await running.ended).stdout).not.toContain(ESCAPE)
})
