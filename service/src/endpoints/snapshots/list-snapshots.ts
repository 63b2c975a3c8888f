import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { PAGE_CREDITS } from '../../domain/prices.ts'
import { NO_SLOTS } from '../../domain/slot-range.ts'
import { renderTokenSnapshots } from '../../rendering/token-snapshots.ts'
import { proofOf } from '../../venue-registry.ts'
import { type Answer, endpoint, type Table } from '../endpoint.ts'
import type { Form } from '../forms.ts'
import { isSuspectAt } from '../schemas/gap.ts'
import { MarketParams } from '../schemas/parameters.ts'
import { DeclaredSnapshot, TokenSnapshot } from '../schemas/snapshot.ts'
import { DryRun, dryRun } from './dry-run.ts'
import { requestedPage, SnapshotEnvelope, SnapshotQuery, type SnapshotRequest } from './requested-page.ts'

export const SnapshotList = z
  .object({ snapshots: z.array(TokenSnapshot), ...SnapshotEnvelope.shape })
  .meta({ id: 'SnapshotList' })
type Reply = z.infer<typeof SnapshotList> | DryRun

/** The envelope is the same, because the declared schema has none. */
const DeclaredSnapshotList = SnapshotList.extend({ snapshots: z.array(DeclaredSnapshot) }).meta({
  id: 'DeclaredSnapshotList',
})
type DeclaredReply = z.infer<typeof DeclaredSnapshotList> | DryRun

/** The JSON text of each reply, which is written without an object per row. */
const texts = new WeakMap<object, () => string>()

function tableOf<Either extends Reply | DeclaredReply>(snapshot: z.ZodObject): Table<Either> {
  return {
    columns: Object.keys(snapshot.shape),
    rows: (reply) => ('snapshots' in reply ? reply.snapshots : []),
    inRows: ['snapshots'],
  }
}

function render(reply: Reply | DeclaredReply): string {
  return texts.get(reply)?.() ?? JSON.stringify(reply)
}

export const listSnapshots = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/snapshots',
  name: 'list_snapshots',
  group: 'Snapshots',
  summary: 'List the stored books and gaps of a market',
  description:
    'Pages are disjoint and complete, also while rows arrive. Without `from` and `to` the newest rows come first. On the free tier a request without `from` starts 24 hours ago; `history_from` is this time, when older rows exist.',
  access: { by: 'key', scope: 'history', credits: PAGE_CREDITS, tierStatus: 402 },
  params: MarketParams,
  query: SnapshotQuery,
  reply: z.union([SnapshotList, DryRun]),
  errors: ['market_not_found'],
  table: tableOf(TokenSnapshot),
  isFree: ({ dry_run }) => dry_run,
  render,

  handle: (request) => answerIn<Reply>('described', request),

  declared: {
    reply: z.union([DeclaredSnapshotList, DryRun]),
    table: tableOf(DeclaredSnapshot),
    render,
    handle: (request) => answerIn<DeclaredReply>('declared', request),
  },

  async parquet(request) {
    const { query, stores, signal } = request
    if (query.dry_run) throw new ApiError('invalid_request', 'A dry run has no rows; request it with format=json.')
    const {
      market,
      page,
      request: pageRequest,
      envelope,
      emptyReason,
      readUpToSlot,
    } = await requestedPage(request, false)
    const [first = { slot: 1, outcome: 0 }, last = { slot: 0, outcome: 1 }] = [page.tokens[0], page.tokens.at(-1)].map(
      (token) => token && { slot: page.rows.slot(token.index), outcome: token.outcome },
    )
    const slots = { fromSlot: Math.min(first.slot, last.slot), toSlot: Math.max(first.slot, last.slot) }
    const pieces = await stores.snapshotPages.parquet(
      { ...page.range, ...(page.tokens.length === 0 ? NO_SLOTS : slots) },
      {
        order: pageRequest.order,
        outcomes: pageRequest.outcomes,
        includeBook: query.includebook,
        conditionId: market.id,
        tokenIds: market.tokenIds,
        proof: proofOf(market.venue),
        first,
        last,
        suspect: page.gaps.filter(({ kind }) => kind === 'suspect'),
      },
      signal,
    )
    return { pieces, rowCount: page.tokens.length, envelope, emptyReason, readUpToSlot }
  },
})

async function answerIn<Either extends Reply | DeclaredReply>(
  form: Form,
  request: SnapshotRequest,
): Promise<Answer<Either | DryRun>> {
  const { dry_run: isDryRun, includebook: includeBook } = request.query
  if (isDryRun) return dryRun(request, PAGE_CREDITS)
  const { market, page, envelope, emptyReason, readUpToSlot } = await requestedPage(request, includeBook)
  const suspect = page.gaps.filter(({ kind }) => kind === 'suspect')
  const textOf = (): string =>
    renderTokenSnapshots(market, page.rows, page.tokens, {
      includeBook,
      isSuspect: (slot) => isSuspectAt(suspect, slot),
      isDeclared: form === 'declared',
    })
  let snapshots: Extract<Either, { snapshots: unknown }>['snapshots'] | undefined
  const body = {
    get snapshots() {
      snapshots ??= JSON.parse(textOf())
      return snapshots
    },
    ...envelope,
  } as Either
  texts.set(body, () => `{"snapshots":${textOf()},${JSON.stringify(envelope).slice(1)}`)
  return { body, emptyReason, readUpToSlot }
}
