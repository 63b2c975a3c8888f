import { expect, test } from 'vitest'
import { withViewed } from './viewed-markets.ts'

const market = (id: string) => ({ id, slug: id, question: id })

test('the newest four markets are kept, each once', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'c'].reduce((markets, id) => withViewed(markets, market(id)), [market('x')])
  expect(all.map(({ id }) => id)).toEqual(['c', 'e', 'd', 'b'])
})
