import { z } from 'zod'
import type { Answer, Endpoint, RequestContext } from '../endpoints/endpoint.ts'
import { BAR_LENGTHS, BAR_MS, listBars } from '../endpoints/history/list-bars.ts'
import { jsonSchemaOf } from '../endpoints/schemas/json-schema.ts'
import { fromBeforeTo, Moment, Side, VenueOfSlug } from '../endpoints/schemas/parameters.ts'
import { readValues } from '../endpoints/schemas/read-values.ts'
import type { DryRun } from '../endpoints/snapshots/dry-run.ts'
import { listSnapshots } from '../endpoints/snapshots/list-snapshots.ts'
import { Market } from './arguments.ts'
import { callEndpoint, Depth, rulesOf } from './endpoint-tool.ts'
import { findMarketOf, isNamedById } from './find-market.ts'
import type { Texts } from './paging.ts'
import { textsOf } from './read-arguments.ts'
import { ReplyShape } from './reply-shape.ts'
import { MOST_TOKENS, type Tool, tokensOf } from './tool.ts'

const TOOLS = ['list_snapshots', 'list_bars'] as const
/** Rows that are measured to estimate the tokens of a row. */
const SAMPLE_ROWS = 4
const MAX_ROWS = { list_snapshots: 100, list_bars: 300 }
/** Tokens of an answer without its rows. */
const ENVELOPE_TOKENS = 500

const Input = z
  .strictObject({
    tool: z.enum(TOOLS).default('list_snapshots').describe('tool to estimate'),
    market: Market,
    from: Moment.optional().describe('earliest time, included'),
    to: Moment.optional().describe('latest time, not included'),
    side: Side.optional(),
    interval: z.enum(BAR_LENGTHS).default('1m').describe('length of a bar, for list_bars'),
    depth: Depth,
    venue: VenueOfSlug,
  })
  .check(fromBeforeTo)

export const estimate: Tool = {
  name: 'estimate',
  title: 'Estimate before paying',
  description:
    'Estimates how many rows, calls, credits and tokens list_snapshots or list_bars needs for a range, and lists the gaps in it. Use it before you request more than a few minutes of a market; then pass rows_a_call as limit. Costs no credits.',
  access: { by: 'key', scope: 'history' },
  inputSchema: jsonSchemaOf(Input, 'input'),
  read(given) {
    const texts = textsOf(given, Object.keys(Input.shape))
    const { tool, interval, depth } = readValues(Input, texts, 'arguments')
    const { tool: _tool, interval: _interval, depth: _depth, market: _market, venue: _venue, ...asked } = texts
    return async (context) => {
      const found = await findMarketOf(context, texts)
      const range = { ...asked, id: found.market_id }
      const isBars = tool === 'list_bars'
      const rowTokens = await tokensOfRow(context, isBars ? listBars : listSnapshots, depth, {
        ...range,
        ...(isBars ? { interval } : { includebook: String(depth > 0) }),
      })
      const rowsPerCall = Math.max(1, Math.min(MAX_ROWS[tool], Math.floor((MOST_TOKENS - ENVELOPE_TOKENS) / rowTokens)))
      const dryRun = { ...range, limit: String(rowsPerCall), dry_run: 'true' }
      const { body, emptyReason } = (await callEndpoint(listSnapshots, context, dryRun)) as Answer<DryRun>
      const rows = isBars ? barsIn(body, BAR_MS[interval]) : body.rows
      const calls = isBars ? Math.ceil(rows / rowsPerCall) : body.calls
      const { market_id, venue, from, to, coverage, gaps, history_from } = body
      const tokens = Math.ceil(rows * rowTokens) + calls * ENVELOPE_TOKENS
      const cost = { rows, rows_a_call: rowsPerCall, calls, credits: isBars ? 0 : body.credits, tokens }
      const answer = { tool, market_id, venue, ...cost, from, to, coverage, gaps, history_from }
      const shape = new ReplyShape({ ...rulesOf({}), depth: 0 })
      return {
        content: {
          answer: shape.of(answer),
          ...(!isNamedById(found) && { found: shape.of(found) }),
          ...(emptyReason !== undefined && { empty_reason: emptyReason }),
        },
      }
    }
  },
}

/** Mean tokens of a row, measured on the first rows of the range. */
async function tokensOfRow(context: RequestContext, endpoint: Endpoint, depth: number, texts: Texts): Promise<number> {
  const { body } = await callEndpoint(endpoint, context, { ...texts, limit: String(SAMPLE_ROWS) })
  const { snapshots, bars } = body as { snapshots?: unknown[]; bars?: unknown[] }
  const rows = snapshots ?? bars ?? []
  const shape = new ReplyShape({ ...rulesOf({ omit: ['condition_id', 'token_id'] }), depth })
  return rows.length === 0 ? 1 : tokensOf(shape.of(rows)) / rows.length
}

/** Bars from the first to the last slot. */
function barsIn({ from, to }: DryRun, barMs: number): number {
  if (from === null || to === null) return 0
  return Math.ceil(Date.parse(to) / barMs) - Math.floor(Date.parse(from) / barMs)
}
