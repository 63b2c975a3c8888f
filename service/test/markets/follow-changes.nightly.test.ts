// Nightly: kills PostgreSQL and waits for notices.
// Covers: service/src/stores/markets/ service/src/wiring/
import { until } from '@bookreel/testbed/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareStreams } from '../../src/bus/streams.ts'
import { MARKETS_STREAM } from '../../src/bus/subjects.ts'
import { ending, FollowedCatalogue, listing } from './followed-catalogue.ts'

let scene: FollowedCatalogue
beforeEach(async () => {
  scene = await FollowedCatalogue.open()
}, 300_000)
afterEach(() => scene?.[Symbol.asyncDispose]())

test('what is published and stored while the snapshot is being read is not lost', async () => {
  const market = ending('between', 10)
  const stop = scene.store()
  scene.afterList = async () => {
    scene.afterList = async () => {}
    await scene.publish(listing(market))
    await until('stored', () => scene.markets.byId(market.id, scene.nowMs()))
  }
  scene.run()
  await scene.untilShown('made-between')
  expect(scene.lists).toBe(1)
  await stop()
})

test('what was published before the start and is stored after the snapshot is not lost', async () => {
  await scene.publish(listing(ending('early', 10)))
  scene.run()
  await scene.untilChecked()
  expect(scene.slugs()).toEqual([])
  const stop = scene.store()
  await scene.untilShown('made-early')
  await stop()
})

test('an update of a kind that is not known is not an error', async () => {
  const market = ending('kept', 10)
  await scene.save(market)
  scene.run()
  await scene.untilShown('made-kept')
  await scene.bus.jetstream.publish(`market.polymarket.other.${market.id}`, '{"kind":"other"}')
  await scene.untilChecked()
  expect([scene.slugs(), scene.troubles, scene.lists]).toEqual([['made-kept'], [], 1])
})

test('a stream that is made again leads to a new snapshot, and is followed', async () => {
  await scene.save(ending('old', 10))
  scene.run()
  await scene.untilShown('made-old')
  await scene.bus.manager.streams.delete(MARKETS_STREAM)
  await prepareStreams(scene.bus.manager, { shardCounts: new Map() })
  const stop = scene.store()
  await scene.publish(listing(ending('new', 20)))
  await scene.untilShown('made-old', 'made-new')
  expect(scene.lists).toBeGreaterThan(1)
  await stop()
})

test('while NATS is away, markets are listed again and again; later, changes are followed again', async () => {
  scene.run()
  await scene.untilChecked()
  await scene.stack.engine('nats').kill()
  await scene.save(ending('during', 10))
  await scene.untilShown('made-during')
  await scene.stack.engine('nats').restart()
  const isPublished = () =>
    scene.publish(listing(ending('after', 20))).then(
      () => true,
      () => false,
    )
  await until('NATS accepts updates', isPublished)
  const stop = scene.store()
  await scene.untilShown('made-during', 'made-after')
  await until('followed again', async () => {
    const before = scene.lists
    await scene.untilChecked()
    await scene.untilChecked()
    return scene.lists === before
  })
  await stop()
}, 300_000)

test('while PostgreSQL is away, everything is still answered and its age grows; changes are known when it is back', async () => {
  await scene.save(ending('kept', 10))
  const stop = scene.store()
  scene.run()
  await scene.untilShown('made-kept')
  await scene.stack.engine('postgres').kill()
  await scene.publish(listing(ending('during', 20)))
  await until('troubles are told', () => scene.troubles.length > 1)
  const { refreshedAtMs } = scene.catalogue
  await until('another try', () => scene.troubles.length > 4)
  expect([scene.slugs(), scene.catalogue.refreshedAtMs]).toEqual([['made-kept'], refreshedAtMs])
  await scene.stack.engine('postgres').restart()
  await scene.untilShown('made-kept', 'made-during')
  await stop()
}, 300_000)
