import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findConfig, givenConfig } from './find-config.ts'
import { WrongUsage } from './wrong-usage.ts'

const folder = mkdtempSync(join(tmpdir(), 'bookreel-settings-'))
let database: Server
let notes: string[] = []

beforeAll(async () => {
  database = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

/** Writes a `stack.env` of a stack that runs, or of one that was killed. */
function stackIn(home: string, path: string, { isRunning = true, user = 'u' } = {}): void {
  const file = join(folder, home, path)
  mkdirSync(join(file, '..'), { recursive: true })
  const port = isRunning ? (database.address() as AddressInfo).port : 1
  writeFileSync(
    file,
    `CLICKHOUSE_URL=http://127.0.0.1:1\nCLICKHOUSE_USER=${user}\nCLICKHOUSE_PASSWORD=p\nNATS_URL=nats://127.0.0.1:1\nDATABASE_URL=postgres://u:p@127.0.0.1:${port}/b\nREDIS_URL=redis://127.0.0.1:1\n`,
  )
}

function placesIn(home: string, environment: Record<string, string> = {}, settingsFile?: string) {
  notes = []
  const note = (line: string) => notes.push(line)
  return { environment, settingsFile, folders: [join(folder, home)], programName: 'npm run server --', note }
}

test.each(['out/dev/stack/stack.env', '.stack/stack.env'])('%s of a running stack is found and named', async (path) => {
  const home = path.replaceAll(/\W/g, '')
  stackIn(home, path)
  expect(await findConfig(placesIn(home))).toMatchObject({ CLICKHOUSE_USER: 'u' })
  expect(notes).toEqual([`Using the development stack of ${join(folder, home, path)}.`])
})

test('a stack that was killed is ignored beside one that runs', async () => {
  stackIn('killed', '.stack/stack.env', { isRunning: false, user: 'killed' })
  stackIn('killed', 'out/dev/stack/stack.env', { user: 'running' })
  expect(await findConfig(placesIn('killed'))).toMatchObject({ CLICKHOUSE_USER: 'running' })
})

test('without a running stack the message says how to start one', async () => {
  stackIn('none', '.stack/stack.env', { isRunning: false })
  const failure = findConfig(placesIn('none'))
  await expect(failure).rejects.toBeInstanceOf(WrongUsage)
  await expect(failure).rejects.toThrow(/no development stack is running.*`npm run dev`.*docs\/config\.md/s)
})

test('of several running stacks none is guessed; --settings chooses one', async () => {
  stackIn('several', '.stack/stack.env', { user: 'small' })
  stackIn('several', 'out/dev/stack/stack.env', { user: 'dev' })
  await expect(findConfig(placesIn('several'))).rejects.toThrow(/Several development stacks.*--settings/s)
  const chosen = placesIn('several', { CLICKHOUSE_USER: 'other' }, join(folder, 'several/.stack/stack.env'))
  expect(await findConfig(chosen)).toMatchObject({ CLICKHOUSE_USER: 'small' })
  expect(notes).toEqual([])
})

test('a development stack is never used in production, with settings of an engine, or to run roles', async () => {
  stackIn('never', '.stack/stack.env')
  const missing = /CLICKHOUSE_USER[\s\S]*`npm run server -- settings` lists all settings/
  await expect(findConfig(placesIn('never', { NODE_ENV: 'production' }))).rejects.toThrow(missing)
  await expect(findConfig(placesIn('never', { NATS_URL: 'nats://127.0.0.1:1' }))).rejects.toThrow(missing)
  expect(() => givenConfig(placesIn('never'))).toThrow(missing)
})

test('a file of --settings that cannot be read is named', async () => {
  await expect(findConfig(placesIn('never', {}, '/nosuch/stack.env'))).rejects.toThrow('/nosuch/stack.env')
})
