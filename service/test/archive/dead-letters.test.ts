import { crc32 } from 'node:zlib'
import { readConfig } from '@bookreel/service/config'
import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CHECKED_FROM, CRC_AT, HEAD_BYTES } from '../../src/bus/batch.ts'
import type { EncodedBatch } from '../../src/bus/batch-writer.ts'
import { deadLetters } from '../../src/bus/dead-letters.ts'
import { DEAD_STREAM } from '../../src/bus/subjects.ts'
import { addDeadCommands } from '../../src/commands/dead.ts'
import { tickBatches } from '../bus/tick-batches.ts'
import { clearTables } from '../faults/check-stored-rows.ts'
import { type ArchiveBench, openArchiveBench, range } from './archive-bench.ts'

let bench: ArchiveBench
beforeAll(async () => {
  bench = await openArchiveBench()
})
afterEach(() => {
  process.exitCode = 0
})
afterAll(() => bench?.[Symbol.asyncDispose]())
beforeEach(async () => {
  await clearTables(bench.client)
  await bench.bus.manager.streams.purge(DEAD_STREAM)
})

async function bookreel(...args: string[]): Promise<{ printed: string[]; complaints: string[] }> {
  const [printed, complaints]: [string[], string[]] = [[], []]
  const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1' }
  const program = new Command().exitOverride()
  addDeadCommands(program, {
    name: 'bookreel-server',
    readConfig: async () => readConfig({ ...environment, ...bench.stack.variables }),
    print: (line) => printed.push(line),
    complain: (line) => complaints.push(line),
  })
  await program.parseAsync(args, { from: 'user' })
  return { printed, complaints }
}

/** Above those of messages on the bus. */
let lastSequence = 1_000_000

async function setAside(batches: readonly EncodedBatch[], reason: string): Promise<void> {
  for (const { shard, bytes } of batches)
    await deadLetters(bench.bus.jetstream).send({ shard, sequence: ++lastSequence, bytes, reason })
}

test('dead letters are listed with their reason, and can be stored again once the reason is gone', async () => {
  expect((await bookreel('dead', 'list')).printed).toEqual(['No dead letters.'])
  await setAside(tickBatches({ ticks: 3, markets: 2, epoch: 1 }), 'no space left')
  const { printed } = await bookreel('dead', 'list', '--json')
  const letters = printed.map((line) => JSON.parse(line))
  expect(letters).toHaveLength(3)
  expect(letters[0]).toMatchObject({ shard: 'polymarket.1', reason: 'no space left' })
  expect(await bookreel('dead', 'replay', String(letters[0].number))).toMatchObject({
    printed: ['Dead letters: 1 stored and removed, 0 kept.'],
  })
  expect(await bench.slotsOf(0)).toEqual([0])
  expect((await bookreel('dead', 'replay')).printed).toEqual(['Dead letters: 2 stored and removed, 0 kept.'])
  expect(await bench.slotsOf(1)).toEqual(range(3))
  expect((await bookreel('dead', 'list')).printed).toEqual(['No dead letters.'])
  expect(process.exitCode).not.toBe(1)
})

test('a number that is none is refused', async () => {
  await expect(bookreel('dead', 'replay', 'abc')).rejects.toThrow('abc is not a number of `bookreel-server dead list`')
})

test('a dead letter that is damaged or needs a newer version stays, and the command says why', async () => {
  const [whole, other] = tickBatches({ ticks: 2, markets: 1, epoch: 2 })
  if (whole === undefined || other === undefined) throw new Error('two batches are needed')
  const damaged = { ...whole, bytes: Buffer.from(whole.bytes).fill(0xff, 60, 70) }
  await setAside([damaged, { ...other, bytes: ofSchema(other.bytes, 9) }], 'checksum')
  const { printed, complaints } = await bookreel('dead', 'replay')
  expect(printed).toEqual(['Dead letters: 0 stored and removed, 2 kept.'])
  expect(complaints[0]).toContain('checksum mismatch')
  expect(complaints[1]).toContain('schema 9 of snapshots needs a newer version of bookreel-server')
  expect(process.exitCode).toBe(1)
  expect((await bookreel('dead', 'list')).printed).toHaveLength(2)
})

/** The same batch with another schema number in its first section. */
function ofSchema(bytes: Buffer, schema: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt16LE(schema, HEAD_BYTES + changed.readUInt16LE(13) + 1)
  changed.writeUInt32LE(crc32(changed.subarray(CHECKED_FROM)), CRC_AT)
  return changed
}
