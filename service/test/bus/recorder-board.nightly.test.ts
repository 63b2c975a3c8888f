// Nightly: leases expire in real time.
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RecorderBoard } from '../../src/bus/recorder-board.ts'
import { ShardLeases } from '../../src/bus/shard-leases.ts'
import { openBus } from './open-bus.ts'

const TTL_MS = 3_000
const PATIENCE = { timeout: 30_000 }
let stack: Stack

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})
afterAll(async () => {
  await stack?.stop()
})

interface Member extends AsyncDisposable {
  readonly board: RecorderBoard
  readonly leases: ShardLeases
  /** Ends as a killed process does: it neither leaves nor deletes its keys. */
  readonly vanish: () => Promise<void>
}

async function member(owner: string): Promise<Member> {
  const bus = await openBus(stack)
  const leases = await ShardLeases.open(bus.jetstream, owner, TTL_MS)
  const board = new RecorderBoard({ leases, capacity: 1, standbys: 1, groups: ['polymarket'], onTrouble: () => {} })
  const stop = new AbortController()
  const running = board.run(stop.signal)
  const vanish = async (): Promise<void> => {
    await bus.connection.close()
    stop.abort()
    await running
  }
  return {
    board,
    leases,
    vanish,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await bus.connection.close()
    },
  }
}

const namesOn = ({ board }: Member): string[] => board.recordersOf('polymarket').map(({ name }) => name)

test('a recorder that ends leaves the board at once, and one that was killed when its key expires', async () => {
  await using first = await member('first')
  await using second = await member('second')
  const third = await member('third')
  const all = ['recorder.first', 'recorder.second', 'recorder.third']
  await expect.poll(() => namesOn(first), PATIENCE).toEqual(all)
  await expect.poll(() => namesOn(second), PATIENCE).toEqual(all)
  const lease = await third.leases.acquire('polymarket.1')
  await expect.poll(() => first.board.holderOf('polymarket.1'), PATIENCE).toBe('third')
  await third.vanish()
  expect(namesOn(first)).toEqual(all)
  await expect.poll(() => namesOn(first), PATIENCE).toEqual(all.slice(0, 2))
  await expect.poll(() => first.board.holderOf('polymarket.1'), PATIENCE).toBeUndefined()
  expect(lease?.isHeld).toBe(false)
  await second[Symbol.asyncDispose]()
  await expect.poll(() => namesOn(first), PATIENCE).toEqual(all.slice(0, 1))
})

test('what expires while NATS is away is forgotten, and nobody takes a shard for one lifetime of a key', async () => {
  await using watching = await member('watching')
  const gone = await member('gone')
  await gone.leases.acquire('polymarket.2')
  await expect.poll(() => watching.board.holderOf('polymarket.2'), PATIENCE).toBe('gone')
  await stack.engine('nats').kill()
  await expect.poll(() => watching.board.isCurrent, PATIENCE).toBe(false)
  await gone.vanish()
  await stack.engine('nats').restart()
  await expect.poll(() => watching.board.isCurrent, PATIENCE).toBe(true)
  expect(namesOn(watching)).toEqual(['recorder.watching'])
  expect(watching.board.holderOf('polymarket.2')).toBeUndefined()
})

test('a shard is warm where its recorder says so, and the others hear of a change before the next announcement', async () => {
  await using first = await member('warm-first')
  await using second = await member('warm-second')
  let warm: readonly string[] = []
  second.board.tellWarm('polymarket', () => warm)
  await expect.poll(() => namesOn(first), PATIENCE).toEqual(['recorder.warm-first', 'recorder.warm-second'])
  expect(first.board.hasOtherWarm('polymarket.3')).toBe(false)
  warm = ['polymarket.3']
  second.board.announceChanges()
  await expect.poll(() => first.board.hasOtherWarm('polymarket.3'), PATIENCE).toBe(true)
  await second.board.leave()
  await expect.poll(() => first.board.hasOtherWarm('polymarket.3'), PATIENCE).toBe(false)
})
