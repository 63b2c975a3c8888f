/** A page of the list of stored books, however many it has. */
export const PAGE_CREDITS = 10
/** The most books of such a page. */
export const PAGE_BOOKS = 500

/** Rows of files and replays. */
export const ROWS_PER_CREDIT = 1_000

/** Exact books of an account and UTC day, whatever the path. Who scrubs to a moment every two seconds needs 3,600 an hour. */
export const FREE_BOOKS_PER_DAY = 5_000
/** A further one costs as much as one of a full page. */
export const BOOKS_PER_CREDIT = PAGE_BOOKS / PAGE_CREDITS

/** A column of a heat map with less than that shows the books themselves, but for the last digits of sizes. */
const SUMMARY = { slots: 4, ms: 1_000 }

/** Price of a file or a replay. */
export function creditsOfRows(rows: number): number {
  return Math.ceil(rows / ROWS_PER_CREDIT)
}

/** Price of an answer with exact books when so many are left of the free ones. */
export function creditsOfBooks(books: number, free: number): number {
  return Math.ceil(Math.max(0, books - Math.max(0, free)) / BOOKS_PER_CREDIT)
}

/** Whether each column of a heat map counts as an exact book. */
export function hasExactColumns(slotsPerColumn: number, intervalMs: number): boolean {
  return slotsPerColumn < SUMMARY.slots || slotsPerColumn * intervalMs < SUMMARY.ms
}

const FREE = FREE_BOOKS_PER_DAY.toLocaleString('en')
const DAY_RULE = `the first ${FREE} of an account and UTC day are free, then an answer costs 1 credit for every ${BOOKS_PER_CREDIT} of its exact books, rounded up`

/** For the documents. */
export const BOOK_PRICE = `by exact books, two of a market and one of a perpetual future: ${DAY_RULE}`
export const BOOK_PRICE_OF_TOOL = `Costs no credits for the first ${FREE} exact books of a UTC day, then 1 for every ${BOOKS_PER_CREDIT} of an answer; none with depth 0.`
export const TILE_PRICE = `free when a column has at least four slots and is at least one second long; in a finer tile each column with data counts as an exact book: ${DAY_RULE}`
