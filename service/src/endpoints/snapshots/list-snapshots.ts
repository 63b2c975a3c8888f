import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { type Answer, endpoint, type Table } from '../endpoint.ts'
import { isSuspectAt } from '../schemas/gap.ts'
import { MarketParams } from '../schemas/parameters.ts'
import { TokenSnapshot, tokenSnapshotOf } from '../schemas/snapshot.ts'
import { askPage, SnapshotEnvelope, SnapshotQuery } from './answer-page.ts'
import { DryRun, dryRun } from './dry-run.ts'
import { renderSnapshots } from './render-snapshots.ts'

const CREDITS = 10
/** A range that no slot is in, for a file without rows. */
const NOTHING = { fromSlot: 1, toSlot: 0, fromMs: 0, toMs: 0 }

export const SnapshotList = z
  .object({ snapshots: z.array(TokenSnapshot), ...SnapshotEnvelope.shape })
  .meta({ id: 'SnapshotList' })
type SnapshotList = z.infer<typeof SnapshotList>
type Reply = SnapshotList | DryRun

/** How a reply becomes text without its rows ever becoming objects. */
const texts = new WeakMap<Reply, () => string>()

const table: Table<Reply> = {
  columns: Object.keys(TokenSnapshot.shape),
  rows: (reply) => ('snapshots' in reply ? reply.snapshots : []),
  envelope: (reply) => {
    if (!('snapshots' in reply)) return reply
    const { snapshots: _, ...envelope } = reply
    return envelope
  },
}

export const listSnapshots = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/snapshots',
  name: 'list_snapshots',
  group: 'Snapshots',
  summary: 'Stored books of a market, in order, with every gap between them',
  description:
    'Pages are disjoint and complete, also while rows arrive. Without `from` and `to` the newest rows come first. On the free tier a request without `from` means the last 24 hours, and `history_from` says so.',
  access: { by: 'key', scope: 'history', credits: CREDITS, tierStatus: 402 },
  params: MarketParams,
  query: SnapshotQuery,
  reply: z.union([SnapshotList, DryRun]),
  errors: ['market_not_found'],
  table,
  isFree: ({ dry_run }) => dry_run,
  render: (reply) => texts.get(reply)?.() ?? JSON.stringify(reply),

  async handle(question): Promise<Answer<Reply>> {
    if (question.query.dry_run) return dryRun(question, CREDITS)
    const { market, page, envelope, emptyReason } = await askPage(question, question.query.includebook)
    const { tokens, rows } = page
    const suspect = page.gaps.filter(({ kind }) => kind === 'suspect')
    const isSuspect = (slot: number): boolean => isSuspectAt(suspect, slot)
    const includeBook = question.query.includebook
    let made: TokenSnapshot[] | undefined
    const body: SnapshotList = {
      get snapshots() {
        made ??= tokens.map(({ index, outcome }) =>
          tokenSnapshotOf(market, rows.row(index), { outcome, includeBook, isSuspect: isSuspect(rows.slot(index)) }),
        )
        return made
      },
      ...envelope,
    }
    texts.set(body, () => {
      const list = renderSnapshots(market, rows, tokens, { includeBook, isSuspect })
      return `{"snapshots":${list},${JSON.stringify(envelope).slice(1)}`
    })
    return { body, emptyReason }
  },

  async parquet(question) {
    if (question.query.dry_run) throw new ApiError('invalid_request', 'A dry run has no rows; ask for it as json.')
    const { market, page, wish, envelope, emptyReason } = await askPage(question, false)
    const ends = [page.tokens[0], page.tokens.at(-1)].map(
      (token) => token && { slot: page.rows.slot(token.index), outcome: token.outcome },
    )
    const [first = { slot: 1, outcome: 0 }, last = { slot: 0, outcome: 1 }] = ends
    const range = { ...page.range, ...(ends[0] === undefined ? NOTHING : slotsBetween(first.slot, last.slot)) }
    const suspect = page.gaps.filter(({ kind }) => kind === 'suspect')
    const { order, outcomes } = wish
    const pieces = await question.stores.snapshotPages.parquet(
      range,
      {
        order,
        outcomes,
        includeBook: question.query.includebook,
        conditionId: market.id,
        tokenIds: market.tokenIds,
        first,
        last,
        suspect,
      },
      question.signal,
    )
    const { next_cursor, market_id, gaps, coverage, history_from } = envelope
    return {
      pieces,
      emptyReason,
      aside: {
        rowCount: page.tokens.length,
        nextCursor: next_cursor ?? undefined,
        marketId: market_id,
        gaps: gaps.length,
        coverage: JSON.stringify(coverage),
        historyFrom: history_from,
      },
    }
  },
})

function slotsBetween(one: number, other: number): { fromSlot: number; toSlot: number } {
  return { fromSlot: Math.min(one, other), toSlot: Math.max(one, other) }
}
