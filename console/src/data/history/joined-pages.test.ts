import { expect, test } from 'vitest'
import { joinedPages } from './joined-pages.ts'

const gap = (slot: number) =>
  ({
    from: `${slot}`,
    to: `${slot + 1}`,
    kind: 'missing',
    cause: 'disconnected',
    from_seq: slot,
    to_seq: slot,
  }) as never

/** Pages of two gaps each. */
function reader(pages: number) {
  const read: (string | undefined)[] = []
  const joined = joinedPages(async ({ cursor }) => {
    read.push(cursor)
    const number = Number(cursor ?? 0)
    const gaps = [gap(2 * number), gap(2 * number + 1)]
    return { gaps, next_cursor: number + 1 < pages ? `${number + 1}` : null, page: number }
  })
  return { read, joined }
}

test('the gaps of all pages are known, with the other members of the first page', async () => {
  const { read, joined } = reader(3)
  const { gaps, next_cursor, page } = await joined
  expect(gaps.map(({ from }) => from)).toEqual(['0', '1', '2', '3', '4', '5'])
  expect([next_cursor, page, read]).toEqual([null, 0, [undefined, '1', '2']])
})

test('of very many gaps four pages are read, and the page can tell that there are more', async () => {
  const { read, joined } = reader(9)
  const { gaps, next_cursor } = await joined
  expect([gaps.length, next_cursor, read.length]).toEqual([8, '4', 4])
})
