import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { natsKeyValues } from '../../src/bus/key-values.ts'
import { reshard } from '../../src/bus/reshard.ts'
import { rowStreamOf } from '../../src/bus/row-streams.ts'
import { STATE_BUCKET, watchShardCounts } from '../../src/bus/shard-counts.ts'
import { ShardLeases } from '../../src/bus/shard-leases.ts'
import { deleteState, readState, StateWriter } from '../../src/bus/shard-states.ts'
import { rowsSubject } from '../../src/bus/subjects.ts'
import { shardOf, shardsOf } from '../../src/domain/shards.ts'
import { type Bus, openBus } from './open-bus.ts'

const LAST_TICK_MS = 1_794_700_000_000
const MARKETS = Array.from({ length: 200 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)
/** The greater number of each change. */
const MOST_SHARDS = new Map([
  ['from4to9', 9],
  ['from9to2', 9],
  ['from4to4', 4],
  ['counted', 4],
  ['busy', 3],
  ['cut', 4],
  ['kept', 3],
  ['grown', 2],
])
let stack: Awaited<ReturnType<typeof borrowStack>>
let bus: Bus
let leases: ShardLeases

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
  bus = await openBus(stack, { shardCounts: MOST_SHARDS })
  leases = await ShardLeases.open(bus.jetstream, 'test')
})
afterAll(async () => {
  await bus.connection.close()
  await stack.stop()
})

/** States as recorders leave them: every tenth market was accounted for only up to an earlier tick. */
async function leaveStates(venue: string, count: number): Promise<void> {
  await leases.requireCounts(new Map([[venue, count]]))
  for (const shard of shardsOf(venue, count)) {
    const own = MARKETS.filter((id) => shardOf(venue, id, count) === shard)
    const waiting = own.filter((id) => MARKETS.indexOf(id) % 10 === 0)
    const lease = await leases.acquire(shard)
    const ticks = Object.fromEntries(waiting.map((id) => [id, LAST_TICK_MS - 60_000]))
    await lease?.saveState(
      LAST_TICK_MS,
      own.filter((id) => !waiting.includes(id)),
      ticks,
    )
    await lease?.release()
  }
}

async function inherited(venue: string, count: number): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const shard of shardsOf(venue, count)) {
    const { waiting = {}, marketIds = [], lastTickMs = 0 } = (await leases.stateOf(shard)) ?? {}
    for (const [id, tickMs] of [...Object.entries(waiting), ...marketIds.map((id) => [id, lastTickMs] as const)]) {
      expect([shardOf(venue, id, count), found.has(id)], id).toEqual([shard, false])
      found.set(id, tickMs)
    }
  }
  return found
}

const expected = new Map(MARKETS.map((id, index) => [id, LAST_TICK_MS - (index % 10 === 0 ? 60_000 : 0)]))

test.each([
  [4, 9],
  [9, 2],
  [4, 4],
])('from %i to %i shards: every market is in its new shard, accounted for up to the same tick', async (from, to) => {
  const venue = `from${from}to${to}`
  await leaveStates(venue, from)
  expect(await reshard(bus.jetstream, { group: venue, count: to })).toEqual({ from, to, markets: MARKETS.length })
  expect(await inherited(venue, to)).toEqual(expected)
  for (const shard of shardsOf(venue, from).slice(to)) expect(await leases.stateOf(shard)).toBeUndefined()
  await leases.requireCounts(new Map([[venue, to]]))
})

test('a process with another number of shards is refused, and told what to do', async () => {
  await leaveStates('counted', 4)
  const wrong = new Map([['counted', 8]])
  const message =
    'COUNTED_SHARDS is 8, but this installation has 4 shards of counted. Set COUNTED_SHARDS=4. To change the number, stop all recorders and run `bookreel-server reshard counted 8`.'
  await expect(leases.requireCounts(wrong)).rejects.toThrow(message)
  await expect(
    watchShardCounts(bus.connection, { counts: wrong, onTrouble: () => {} }, new AbortController().signal),
  ).rejects.toThrow(message)
})

test('not while a recorder holds a shard, nor while rows wait for the archive, nor before the first start', async () => {
  await leaveStates('busy', 2)
  const lease = await leases.acquire('busy.1')
  await expect(reshard(bus.jetstream, { group: 'busy', count: 3 })).rejects.toThrow(
    'The recorder test holds shard busy.1. Stop all recorders first.',
  )
  await lease?.release()
  await bus.jetstream.publish(rowsSubject('busy.0'), 'rows')
  const waiting: number[] = []
  const undrained = reshard(bus.jetstream, {
    group: 'busy',
    count: 3,
    drainedWithinMs: 500,
    onWaiting: (messages) => waiting.push(messages),
  })
  await expect(undrained).rejects.toThrow('1 messages of busy wait for the archive. Start the role archive')
  expect(waiting[0]).toBe(1)
  await expect(reshard(bus.jetstream, { group: 'never', count: 3 })).rejects.toThrow(
    'No recorder of never has started yet. Set NEVER_SHARDS=3 instead.',
  )
})

test('not before the streams of the new shards exist', async () => {
  await leaveStates('grown', 2)
  await expect(reshard(bus.jetstream, { group: 'grown', count: 12 })).rejects.toThrow(
    'NATS has no stream for 12 shards of grown. Set GROWN_SHARDS=12, run `prepare`, and try again.',
  )
  expect(await inherited('grown', 2)).toEqual(expected)
})

test('an interrupted change is finished by the next one, with nothing lost', async () => {
  await leaveStates('cut', 4)
  const states = natsKeyValues(await new Kvm(jetstream(bus.connection)).open(STATE_BUCKET))
  // As after a command that was killed when it had copied the old states and written one new one.
  for (const shard of shardsOf('cut', 4)) {
    const state = await readState(states, shard)
    if (state !== undefined) await new StateWriter(states, `copy.${shard}`, state.epoch).write(state)
  }
  await states.put('resharding.cut', '4')
  await deleteState(states, 'cut.0')
  await new StateWriter(states, 'cut.0', 1).write({ lastTickMs: 1, marketIds: [], waiting: {} })
  await expect(leases.requireCounts(new Map([['cut', 4]]))).rejects.toThrow(
    'The number of shards of cut is being changed, or the change was interrupted.',
  )
  expect(await reshard(bus.jetstream, { group: 'cut', count: 3 })).toMatchObject({ markets: MARKETS.length })
  expect(await inherited('cut', 3)).toEqual(expected)
})

test('while it runs, no recorder can take a shard; afterwards only one with the new number', async () => {
  await leaveStates('kept', 2)
  const [standby, next] = await Promise.all([
    ShardLeases.open(bus.jetstream, 'standby'),
    ShardLeases.open(bus.jetstream, 'next'),
  ])
  await standby.requireCounts(new Map([['kept', 2]]))
  await bus.jetstream.publish(rowsSubject('kept.0'), 'rows')
  const held: unknown[] = []
  const done = reshard(bus.jetstream, {
    group: 'kept',
    count: 3,
    onWaiting: () => {
      const draining = standby.acquire('kept.1').then((lease) => held.push(lease))
      void draining.then(() => bus.manager.streams.purge(rowStreamOf('kept.0'), { filter: rowsSubject('kept.0') }))
    },
  })
  await done
  expect(held[0]).toBeUndefined()
  await expect(standby.acquire('kept.1')).rejects.toThrow('KEPT_SHARDS is 2, but this installation has 3 shards')
  await next.requireCounts(new Map([['kept', 3]]))
  expect(await next.acquire('kept.2')).toBeDefined()
})
