import type { Defect } from '../defects/defect.ts'
import { DEFECTS_OF_ACCESS } from './defects-of-access.ts'
import { DEFECTS_OF_BOOKS } from './defects-of-books.ts'
import { DEFECTS_OF_LISTS } from './defects-of-lists.ts'
import { DEFECTS_OF_MARKETS } from './defects-of-markets.ts'

/** All defects that the conformance claims must notice. */
export const DEFECTS: readonly Defect[] = [
  ...DEFECTS_OF_LISTS,
  ...DEFECTS_OF_MARKETS,
  ...DEFECTS_OF_BOOKS,
  ...DEFECTS_OF_ACCESS,
]
