// Nightly: makes and lists three million markets, which takes minutes of CPU time.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PastScene, readList } from './past-scene.ts'

const MILLIONS = 3_000_000

let scene: PastScene
let key: string

beforeAll(async () => {
  scene = await PastScene.open()
  key = await scene.service.keyOf('scale')
  await scene.addPast(0, MILLIONS)
})
afterAll(() => scene?.[Symbol.asyncDispose]())

test('a page of the newest markets reads as little as ever', async () => {
  for (const query of ['limit=1', 'limit=1&status=closed', 'limit=500&subcategory=NBA&status=closed'])
    expect(await scene.rowsFor(`/v1/markets/history/recent?${query}`, key), query).toBeLessThan(40_000)
})

test.each([
  ['json', '"slug":"past-', 1_000_000_000],
  ['csv', ',past-', 600_000_000],
])(
  '%s of three million markets arrives whole, and the memory of the process does not grow with it',
  async (format, text, leastBytes) => {
    const list = await readList(() => scene.connect(`/v1/markets/history?format=${format}`, key), text, 50_000_000)
    expect(list.found).toBe(MILLIONS)
    expect(list.bytes).toBeGreaterThan(leastBytes)
    expect(list.grownBytes).toBeLessThan(64_000_000)
  },
)
