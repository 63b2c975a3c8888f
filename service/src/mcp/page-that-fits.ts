import type { Answer } from '../endpoints/endpoint.ts'
import type { Paging, Texts } from './paging.ts'
import { type Content, MOST_TOKENS, tokensOf } from './tool.ts'

export interface Page {
  readonly answer: Answer<unknown>
  /** The reply with the rows that are shown; undefined for all of it. */
  readonly body: unknown
  /** Where to go on. */
  readonly next: string | null
  /** Rows that were asked for and found, and had to be left out. */
  readonly leftOut: number
}

interface Work {
  askedFor(limit: number): Texts
  ask(asked: Texts): Promise<Answer<unknown>>
  contentOf(page: Page): Content
}

/** What is said of the cost comes on top. */
const BOUND = MOST_TOKENS - 50
/** Rows differ in length, so the first guess is a little low. */
const CAREFUL = 0.95

/** As many of the rows that were asked for as an answer may have, and where the next one is. */
export async function pageThatFits(paging: Paging, limit: number, work: Work): Promise<Content> {
  let leftOut = 0
  for (let wanted = limit; ; ) {
    const asked = work.askedFor(wanted)
    const answer = await work.ask(asked)
    const rows = rowsIn(answer.body, paging.member)
    const most = paging.limit === undefined ? rows.length : Math.min(rows.length, wanted)
    const pageOf = (shown: number): Page => ({
      answer,
      body: withRows(answer.body, paging.member, rows.slice(0, shown)),
      next: paging.next(asked, answer, rows, shown),
      leftOut: leftOut + most - shown,
    })
    const { shown, content } = fitting(most, (count) => work.contentOf(pageOf(count)))
    if (shown === most || !paging.isCutByAsking) return content
    leftOut += most - shown
    wanted = shown
  }
}

function fitting(most: number, contentOf: (shown: number) => Content): { shown: number; content: Content } {
  let shown = most
  for (;;) {
    const content = contentOf(shown)
    const tokens = tokensOf(content)
    if (tokens <= BOUND || shown <= 1) return { shown, content }
    shown = Math.max(1, Math.min(shown - 1, Math.floor((shown * BOUND * CAREFUL) / tokens)))
  }
}

function rowsIn(body: unknown, member: string | undefined): readonly unknown[] {
  return (member === undefined ? body : (body as Record<string, unknown>)[member]) as readonly unknown[]
}

function withRows(body: unknown, member: string | undefined, rows: readonly unknown[]): unknown {
  return member === undefined ? rows : { ...(body as object), [member]: rows }
}
