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
const DAY_RULE = `free for the first ${FREE} exact books of an account and UTC day, then 1 credit for every ${BOOKS_PER_CREDIT} of an answer, rounded up`

/** For the documents. */
export const BOOK_PRICE = `${DAY_RULE}; a market has two, a perpetual future one`
export const BOOK_PRICE_OF_TOOL = `Costs no credits for ${FREE} books a day, then 1 for ${BOOKS_PER_CREDIT}; depth 0 is free.`
export const TILE_PRICE = `free when a column has at least four slots and is at least one second long; in a finer tile each column with data is an exact book: ${DAY_RULE}`
