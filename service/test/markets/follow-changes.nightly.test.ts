// Nightly: kills PostgreSQL and waits for notices.
// Covers: service/src/stores/markets/ service/src/wiring/
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { until } from '@bookreel/testbed/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareStreams } from '../../src/bus/streams.ts'
import { MARKETS_STREAM } from '../../src/bus/subjects.ts'
import type { Market } from '../../src/domain/market.ts'
import { FollowedCatalogue } from './followed-catalogue.ts'

let scene: FollowedCatalogue
beforeEach(async () => {
  scene = await FollowedCatalogue.open()
}, 300_000)
afterEach(() => scene?.[Symbol.asyncDispose]())

const listing = (market: Market) => ({ kind: 'listed', venue: market.venue, market }) as const
const resolution = (market: Market) =>
  ({
    kind: 'resolved',
    venue: market.venue,
    resolution: { marketId: market.id, winner: 0, resolvedAtMs: Date.now() },
  }) as const
const ending = (name: string, inMinutes: number): Market =>
  madeMarket(name, { endsAtMs: Date.now() + inMinutes * 60_000 })
const save = (...markets: readonly Market[]): Promise<void> =>
  scene.markets.saveListings(markets.map((market) => ({ market, seenAtMs: Date.now() })))
const untilShown = (...slugs: readonly string[]): Promise<unknown> =>
  until(`the catalogue has ${slugs.join()}`, () => scene.slugs().join() === slugs.join())
/** A later check has found the catalogue complete. */
const untilChecked = (): Promise<unknown> => {
  const sinceMs = Date.now()
  return until('checked again', () => (scene.catalogue.refreshedAtMs ?? 0) > sinceMs)
}

test('changes are known without listing all markets again: new, changed and resolved ones, and their slugs', async () => {
  const [first, second, third] = [ending('a', 10), ending('b', 20), ending('c', 15)]
  await save(first, second)
  scene.run()
  const stop = scene.store()
  await untilShown('made-a', 'made-b')
  const found = (slug: string) => scene.catalogue.resolveSlug(slug, Date.now()).matchedBy
  expect(found('made-c')).not.toBe('exact')
  await scene.publish(listing(third))
  await untilShown('made-a', 'made-c', 'made-b')
  await scene.publish(listing({ ...first, endsAtMs: Date.now() + 3_600_000 }))
  await untilShown('made-c', 'made-b', 'made-a')
  await scene.publish(resolution(second))
  await untilShown('made-c', 'made-a')
  expect([found('made-b'), found('made-c')]).toEqual([undefined, 'exact'])
  expect(scene.catalogue.byId(second.id, Date.now())).toBeUndefined()
  expect([scene.lists, scene.troubles]).toEqual([1, []])
  await stop()
})

test('a listing that is on the bus but not stored is not shown, and shown when it is stored', async () => {
  const market = ending('later', 10)
  scene.run()
  await untilChecked()
  await scene.publish(listing(market))
  await untilChecked()
  expect(scene.slugs()).toEqual([])
  const stop = scene.store()
  await untilShown('made-later')
  expect(scene.lists).toBe(1)
  await stop()
})

test('what is published and stored while the snapshot is being read is not lost', async () => {
  const market = ending('between', 10)
  const stop = scene.store()
  scene.afterList = async () => {
    scene.afterList = async () => {}
    await scene.publish(listing(market))
    await until('stored', () => scene.markets.byId(market.id, Date.now()))
  }
  scene.run()
  await untilShown('made-between')
  expect(scene.lists).toBe(1)
  await stop()
})

test('what was published before the start and is stored after the snapshot is not lost', async () => {
  await scene.publish(listing(ending('early', 10)))
  scene.run()
  await untilChecked()
  expect(scene.slugs()).toEqual([])
  const stop = scene.store()
  await untilShown('made-early')
  await stop()
})

test('an update of a kind that is not known is not an error', async () => {
  const market = ending('kept', 10)
  await save(market)
  scene.run()
  await untilShown('made-kept')
  await scene.bus.jetstream.publish(`market.polymarket.other.${market.id}`, '{"kind":"other"}')
  await untilChecked()
  expect([scene.slugs(), scene.troubles, scene.lists]).toEqual([['made-kept'], [], 1])
})

test('a stream that is made again leads to a new snapshot, and is followed', async () => {
  await save(ending('old', 10))
  scene.run()
  await untilShown('made-old')
  await scene.bus.manager.streams.delete(MARKETS_STREAM)
  await prepareStreams(scene.bus.manager, { shardCounts: new Map() })
  const stop = scene.store()
  await scene.publish(listing(ending('new', 20)))
  await untilShown('made-old', 'made-new')
  expect(scene.lists).toBeGreaterThan(1)
  await stop()
})

test('while NATS is away, markets are listed again and again; later, changes are followed again', async () => {
  scene.run()
  await untilChecked()
  await scene.stack.engine('nats').kill()
  await save(ending('during', 10))
  await untilShown('made-during')
  await scene.stack.engine('nats').restart()
  const isPublished = () =>
    scene.publish(listing(ending('after', 20))).then(
      () => true,
      () => false,
    )
  await until('NATS accepts updates', isPublished)
  const stop = scene.store()
  await untilShown('made-during', 'made-after')
  await until('followed again', async () => {
    const before = scene.lists
    await untilChecked()
    await untilChecked()
    return scene.lists === before
  })
  await stop()
}, 300_000)

test('while PostgreSQL is away, everything is still answered and its age grows; changes are known when it is back', async () => {
  await save(ending('kept', 10))
  const stop = scene.store()
  scene.run()
  await untilShown('made-kept')
  await scene.stack.engine('postgres').kill()
  await scene.publish(listing(ending('during', 20)))
  await until('troubles are told', () => scene.troubles.length > 1)
  const { refreshedAtMs } = scene.catalogue
  await until('another try', () => scene.troubles.length > 4)
  expect([scene.slugs(), scene.catalogue.refreshedAtMs]).toEqual([['made-kept'], refreshedAtMs])
  await scene.stack.engine('postgres').restart()
  await untilShown('made-kept', 'made-during')
  await stop()
}, 300_000)

test('a comparison with PostgreSQL corrects what no update told, and reports only that', async () => {
  const [kept, told, gone] = [ending('kept', 10), ending('told', 20), ending('gone', 30)]
  await save(kept, gone)
  scene.run(200)
  const stop = scene.store()
  await untilShown('made-kept', 'made-gone')
  await scene.publish(listing(told))
  await untilShown('made-kept', 'made-told', 'made-gone')
  await untilChecked()
  expect(scene.missed).toEqual([])
  const silent = ending('silent', 40)
  await save(silent)
  await scene.markets.saveResolutions([{ marketId: gone.id, winner: 1, resolvedAtMs: Date.now() }])
  await untilShown('made-kept', 'made-told', 'made-silent')
  expect(scene.missed.toSorted()).toEqual([silent.id, gone.id].toSorted())
  await stop()
})
