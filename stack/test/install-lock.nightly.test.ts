// Nightly: kills engines.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withLock } from '../src/install/install-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookreel-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('only one installation runs at a time', async () => {
  let working = 0
  let mostAtOnce = 0
  const install = async () => {
    mostAtOnce = Math.max(mostAtOnce, ++working)
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    working--
  }
  await Promise.all(Array.from({ length: 8 }, () => withLock(join(folder, 'lock'), install)))
  expect(mostAtOnce).toBe(1)
})

test('an installation that failed or was killed does not block the next one', async () => {
  const lock = join(folder, 'lock')
  const failing = withLock(lock, () => Promise.reject(new Error('no network')))
  await expect(failing).rejects.toThrow('no network')

  const module = new URL('../src/install/install-lock.ts', import.meta.url).href
  const script = `import { withLock } from '${module}'
    await withLock('${lock}', () => new Promise(() => { console.log('held'); setInterval(() => {}, 1e9) }))`
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  let entered = false
  const next = withLock(lock, async () => {
    entered = true
  })
  expect(entered).toBe(false)
  holder.kill('SIGKILL')
  await next
  expect(entered).toBe(true)
})
