import { afterEach, beforeEach, expect, test } from 'vitest'
import { ending, FollowedCatalogue, listing, resolution } from './followed-catalogue.ts'

let scene: FollowedCatalogue
beforeEach(async () => {
  scene = await FollowedCatalogue.open()
})
afterEach(() => scene?.[Symbol.asyncDispose]())

test('changes are known without listing all markets again: new, changed and resolved ones, and their slugs', async () => {
  const [first, second, third] = [ending('a', 10), ending('b', 20), ending('c', 15)]
  await scene.save(first, second)
  scene.run()
  const stop = scene.store()
  await scene.untilShown('made-a', 'made-b')
  const found = (slug: string) => scene.catalogue.resolveSlug(slug, scene.nowMs()).matchedBy
  expect(found('made-c')).not.toBe('exact')
  await scene.publish(listing(third))
  await scene.untilShown('made-a', 'made-c', 'made-b')
  await scene.publish(listing({ ...first, endsAtMs: scene.nowMs() + 3_600_000 }))
  await scene.untilShown('made-c', 'made-b', 'made-a')
  await scene.publish(resolution(second))
  await scene.untilShown('made-c', 'made-a')
  expect([found('made-b'), found('made-c')]).toEqual([undefined, 'exact'])
  expect(scene.catalogue.byId(second.id, scene.nowMs())).toBeUndefined()
  expect([scene.lists, scene.troubles]).toEqual([1, []])
  await stop()
})

test('a listing that is on the bus but not stored is not shown, and shown when it is stored', async () => {
  const market = ending('later', 10)
  scene.run()
  await scene.untilChecked()
  await scene.publish(listing(market))
  await scene.untilChecked()
  expect(scene.slugs()).toEqual([])
  const stop = scene.store()
  await scene.untilShown('made-later')
  expect(scene.lists).toBe(1)
  await stop()
})

test('a comparison with PostgreSQL corrects what no update told, and reports only that', async () => {
  const [kept, told, gone] = [ending('kept', 10), ending('told', 20), ending('gone', 30)]
  await scene.save(kept, gone)
  scene.run(200)
  const stop = scene.store()
  await scene.untilShown('made-kept', 'made-gone')
  await scene.publish(listing(told))
  await scene.untilShown('made-kept', 'made-told', 'made-gone')
  await scene.untilChecked()
  expect(scene.missed).toEqual([])
  const silent = ending('silent', 40)
  await scene.save(silent)
  await scene.markets.saveResolutions([{ marketId: gone.id, winner: 1, resolvedAtMs: scene.nowMs() }])
  await scene.untilShown('made-kept', 'made-told', 'made-silent')
  expect(scene.missed.toSorted()).toEqual([silent.id, gone.id].toSorted())
  await stop()
})
