import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { rewriteHistory } from '@bookreel/testbed/service/rewrite-history'
import { addFile, newSigner } from '@bookreel/testbed/service/signed-files'
import { archive, madeMarket, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { until } from '@bookreel/testbed/until'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import { filesRole } from '../../src/roles/files-role.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { Files } from '../../src/stores/files/files.ts'
import { Manifests } from '../../src/stores/files/manifests.ts'
import { DAY, INTERVAL_MS, rowsOf } from '../files/files-scene.ts'
import { RestrictedScene } from './restricted-scene.ts'

const folder = mkdtempSync(join(tmpdir(), 'bookreel-files-role-'))
const market = madeMarket('a-day', { captureIntervalMs: INTERVAL_MS, startsAtMs: DAY, endsAtMs: DAY + HOUR_MS })
let scene: RestrictedScene
let database: Database

beforeAll(async () => {
  scene = await RestrictedScene.open()
  database = openDatabase({ url: scene.stack.variable('DATABASE_URL') })
}, 300_000)
afterAll(async () => {
  await database?.destroy()
  await scene?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('with its own login the role files makes files, signs those of ended hours, and one process at a time does it', async () => {
  const nowMs = (): number => WORLD_NOW_MS
  const stored = { config: scene.owner, nowMs } as Parameters<typeof storeFacts>[0]
  await storeFacts(stored, [market])
  await archive(stored, rowsOf(market))
  await addFile(database, Buffer.from('earlier'), { subject: 'earlier' })
  await rewriteHistory(
    scene.stack,
    `UPDATE files SET made_at = '${new Date(WORLD_NOW_MS - 2 * HOUR_MS).toISOString()}'`,
  )

  const logged: string[] = []
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(String(chunk))
      done()
    },
  })
  const { pem, signer } = newSigner()
  const config = { ...scene.configOf('files'), OBJECT_STORE_URL: `file://${folder}/objects`, MANIFEST_KEY: pem }
  const stop = new AbortController()
  const roles = [1, 2].map(() =>
    filesRole({ config, log: pino({ level: 'info' }, sink), registry: new Registry(), nowMs }, stop.signal),
  )
  const files = new Files(database)
  const isMade = async (): Promise<boolean> =>
    (await files.list({ isNewestOnly: true, limit: 9 })).some(({ subject }) => subject === 'polymarket-gaps')
  const manifests = new Manifests(database)
  await until('the files are made', isMade)
  const signed = await until(
    'the earlier file is signed',
    async () => (await manifests.list({ after: 0, limit: 9 }))[0],
  )
  stop.abort()
  await Promise.all(roles)
  expect(signed).toMatchObject({ number: 1, files: 1, keyId: signer.keyId })
  const made = logged.filter((line) => line.includes('"file made"')).map((line) => JSON.parse(line).subject)
  expect(made).toEqual([market.id, 'polymarket-gaps'])
  expect(logged.filter((line) => /denied|Violation|privileges|failed/i.test(line))).toEqual([])
})
