import type { Answer } from '../endpoints/endpoint.ts'
import type { Paging, Texts } from './paging.ts'
import { MOST_TOKENS, type ToolAnswer, tokensOf } from './tool.ts'

export interface Page {
  readonly answer: Answer<unknown>
  /** The reply with the shown rows; undefined for the whole reply. */
  readonly body: unknown
  /** Cursor of the next page. */
  readonly next: string | null
  /** Number of requested rows that were omitted. */
  readonly leftOut: number
}

interface Work {
  parametersFor(limit: number): Texts
  call(parameters: Texts): Promise<Answer<unknown>>
  answerOf(page: Page): ToolAnswer
}

/** Leaves space for `credits`, which is added later. */
const TOKEN_LIMIT = MOST_TOKENS - 50
/** Rows differ in length, so the estimate is reduced a little. */
const SAFETY_FACTOR = 0.95

/** Returns as many of the requested rows as fit into an answer, with the cursor of the next row. */
export async function pageThatFits(paging: Paging, limit: number, work: Work): Promise<ToolAnswer> {
  let leftOut = 0
  for (let wanted = limit; ; ) {
    const parameters = work.parametersFor(wanted)
    const answer = await work.call(parameters)
    const rows = rowsIn(answer.body, paging.member)
    const most = paging.limit === undefined ? rows.length : Math.min(rows.length, wanted)
    const pageOf = (shown: number): Page => ({
      answer,
      body: withRows(answer.body, paging.member, rows.slice(0, shown)),
      next: paging.next(parameters, answer, rows, shown),
      leftOut: leftOut + most - shown,
    })
    const fitted = fitting(most, (count) => work.answerOf(pageOf(count)))
    const { shown } = fitted
    if (shown === most || !paging.needsShorterRequest) return fitted.answer
    leftOut += most - shown
    wanted = shown
  }
}

function fitting(most: number, answerOf: (shown: number) => ToolAnswer): { shown: number; answer: ToolAnswer } {
  let shown = most
  for (;;) {
    const answer = answerOf(shown)
    const tokens = tokensOf(answer.content)
    if (tokens <= TOKEN_LIMIT || shown <= 1) return { shown, answer }
    shown = Math.max(1, Math.min(shown - 1, Math.floor((shown * TOKEN_LIMIT * SAFETY_FACTOR) / tokens)))
  }
}

function rowsIn(body: unknown, member: string | undefined): readonly unknown[] {
  return (member === undefined ? body : (body as Record<string, unknown>)[member]) as readonly unknown[]
}

function withRows(body: unknown, member: string | undefined, rows: readonly unknown[]): unknown {
  return member === undefined ? rows : { ...(body as object), [member]: rows }
}
