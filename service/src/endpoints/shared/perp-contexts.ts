import { z } from 'zod'
import type { PerpContext } from '../../domain/rows/perp-context.ts'
import type { EmptyReason, EndpointRequest } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { CursorTime, decodeCursor, encodeCursor } from './cursor.ts'
import { accountOf, type PerpPageQuery, type perpPageMembers, perpPageOf, timeOfPage } from './perp-page.ts'

/** The first members of every row of a series of contexts. */
export const contextHead = {
  exchange: z.string(),
  symbol: z.string(),
  received_at: Instant.describe('time of receipt, because the venue gives no time'),
}

/** How series of contexts differ from samples; for their descriptions. */
export const ON_CHANGE =
  'The venue tells the context of a perpetual future about every second; a row is stored when any of its figures has changed, so a figure holds until the next row unless `gaps` covers the time.'

export function contextHeadOf({ venue, symbol, receivedAtMs }: PerpContext): z.infer<z.ZodObject<typeof contextHead>> {
  return { exchange: `${venue}_perp`, symbol, received_at: instantOf(receivedAtMs) }
}

export interface ContextPage {
  readonly rows: readonly PerpContext[]
  readonly members: z.infer<z.ZodObject<typeof perpPageMembers>>
  readonly emptyReason: EmptyReason | undefined
}

/** One page of the contexts of a perp. */
export async function contextPageOf(
  request: EndpointRequest<unknown, z.output<typeof PerpPageQuery>, unknown>,
): Promise<ContextPage> {
  const { query, perps, signal } = request
  const page = await perpPageOf(request, 'perp_contexts')
  const { perp, order, range, members } = page
  const list = `exchange contexts ${perp.venue} ${perp.symbol} ${order}`
  const [afterMs] = decodeCursor(query.cursor, list, z.tuple([CursorTime])) ?? []
  const after = afterMs === undefined ? undefined : { receivedAtMs: afterMs }
  const limit = query.limit + 1
  const found = range === undefined ? [] : await perps.contexts({ ...perp, ...range }, { order, limit, after }, signal)
  const rows = found.slice(0, query.limit)
  const last = found.length > rows.length ? rows.at(-1) : undefined
  const account = await accountOf(perps, perp, timeOfPage(page, afterMs, last?.receivedAtMs))
  const whyEmpty = page.emptyReason ?? (account.coverage.share === 0 ? 'gap' : 'no_match')
  const emptyReason = rows.length > 0 ? undefined : whyEmpty
  const nextCursor = last === undefined ? null : encodeCursor(list, [last.receivedAtMs])
  return {
    rows,
    members: { ...members, next_cursor: nextCursor, ...account, ...(emptyReason && { empty_reason: emptyReason }) },
    emptyReason,
  }
}
