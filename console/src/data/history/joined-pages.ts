import type { GapReport } from '@bookreel/sdk'

const MOST_PAGES = 4

type GapPage = Pick<GapReport, 'gaps' | 'next_cursor'>

/** The first page with the gaps of the following ones. */
export async function joinedPages<Page extends GapPage>(
  read: (page: { readonly cursor?: string }) => Promise<Page>,
): Promise<Page> {
  let joined = await read({})
  for (let pages = 1; pages < MOST_PAGES && joined.next_cursor !== null; pages++) {
    const { gaps, next_cursor } = await read({ cursor: joined.next_cursor })
    joined = { ...joined, gaps: [...joined.gaps, ...gaps], next_cursor }
  }
  return joined
}
