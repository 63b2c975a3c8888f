import { z } from 'zod'
import { BOOK_PRICE_OF_TOOL } from '../domain/prices.ts'
import { deprecationText } from '../endpoints/deprecation.ts'
import { type Answer, type Endpoint, type KeyAccess, keyAccessOf, type RequestContext } from '../endpoints/endpoint.ts'
import { jsonSchemaOf } from '../endpoints/schemas/json-schema.ts'
import { fromBeforeTo, Moment, VenueOfSlug, wholeNumber } from '../endpoints/schemas/parameters.ts'
import { readValues } from '../endpoints/schemas/read-values.ts'
import { argumentsOf, parametersIn, parametersOf } from './arguments.ts'
import { type FoundMarket, findMarketOf, isNamedById } from './find-market.ts'
import { type Page, pageThatFits } from './page-that-fits.ts'
import type { Paging, Texts } from './paging.ts'
import { textsOf } from './read-arguments.ts'
import { ReplyShape, type ShapeRules } from './reply-shape.ts'
import type { Tool, ToolAnswer } from './tool.ts'

/** How an endpoint is presented as a tool. */
export interface ToolPlan {
  readonly endpoint: Endpoint
  /** Default: the name of the endpoint. */
  readonly name?: string
  readonly title: string
  /** Says when to use the tool. */
  readonly use: string
  readonly paging?: Paging
  /** Replies contain bids and asks, which are cut to `depth` levels. */
  readonly hasLadders?: true
  /** Parameters of the endpoint that are not arguments of the tool. */
  readonly hides?: readonly string[]
  /** Values of hidden parameters that the endpoint requires. */
  readonly fixed?: Texts
  /** What to do about rows of the answer, such as unknown markets. */
  hintOf?(body: unknown): string | undefined
  /** Redundant members, left out of the reply. */
  readonly omit?: readonly string[]
}

const DEFAULT_DEPTH = 10
export const Depth = wholeNumber(0, 50)
  .default(DEFAULT_DEPTH)
  .describe(`levels per ladder, best price first; 0 omits ladders; default ${DEFAULT_DEPTH}`)

const NO_PARAMETERS = z.object({})
/** The arguments are those of the endpoint without its checks. */
const Range = z.object({ from: Moment.optional(), to: Moment.optional() }).check(fromBeforeTo)
/** Members that every tool returns beside the answer. */
const ENVELOPE_MEMBERS = ['next_cursor', 'empty_reason']

export function endpointTool(plan: ToolPlan): Tool {
  const { endpoint, name = endpoint.name, title, use, paging, fixed } = plan
  const { deprecated } = endpoint
  const access = keyAccessOf(endpoint)
  if (access === undefined) throw new TypeError(`${endpoint.name} needs no key and can't be a tool`)
  const parameterNames = Object.keys(parametersOf(endpoint))
  const idParameter = idParameterOf(endpoint)
  const input = inputOf(plan)
  const cost = costOf(endpoint, access)
  return {
    name,
    title,
    description: [use, deprecated && deprecationText(deprecated), scopeHint(access), cost].filter(Boolean).join(' '),
    access,
    inputSchema: jsonSchemaOf(input, 'input'),
    read(given) {
      const texts = textsOf(given, Object.keys(input.shape))
      const { depth = 0, limit = 0, cursor } = readValues(input, texts, 'arguments') as OwnValues
      readValues(Range, texts, 'arguments')
      const asked = {
        ...fixed,
        ...parametersIn(endpoint, texts),
        ...(parameterNames.includes('includebook') && { includebook: String(depth > 0) }),
      }
      const parametersFor = (rows: number): Texts => paging?.parameters(asked, { cursor, limit: rows }) ?? asked
      parametersFor(limit)
      return async (context) => {
        const found = idParameter === undefined ? undefined : await findMarketOf(context, texts)
        const call = (parameters: Texts): Promise<Answer<unknown>> =>
          callEndpoint(endpoint, context, {
            ...parameters,
            ...(found && idParameter !== undefined && { [idParameter]: found.market_id }),
          })
        const answerOf = (page: Page): ToolAnswer => answerIn(plan, depth, page, found)
        if (paging !== undefined) return pageThatFits(paging, limit, { parametersFor, call, answerOf })
        return answerOf({ answer: await call(asked), body: undefined, next: null, leftOut: 0 })
      }
    },
  }
}

function costOf({ priceRule }: Endpoint, { credits = 0 }: KeyAccess): string {
  if (credits > 0) return `Costs ${credits} credits per answer.`
  return priceRule === undefined ? 'Costs no credits.' : BOOK_PRICE_OF_TOOL
}

/** The parameter that is a condition id. An endpoint with the parameter `slug` finds the market itself. */
function idParameterOf(endpoint: Endpoint): string | undefined {
  return Object.keys(parametersOf(endpoint)).find((name) => name === 'id' || name === 'marketId')
}

function scopeHint({ scopeWith = {} }: KeyAccess): string | undefined {
  const hints = Object.entries(scopeWith).map(([name, scope]) => `With ${name} it needs a key with the scope ${scope}.`)
  return hints.length === 0 ? undefined : hints.join(' ')
}

/** Calls the endpoint with text parameters, as in a URL. */
export function callEndpoint(endpoint: Endpoint, context: RequestContext, texts: Texts): Promise<Answer<unknown>> {
  const params = readValues(endpoint.params ?? NO_PARAMETERS, texts, 'arguments')
  const query = readValues(endpoint.query ?? NO_PARAMETERS, texts, 'arguments')
  return endpoint.handle({ ...context, params, query, body: undefined })
}

export function rulesOf({ omit = [], paging }: Pick<ToolPlan, 'omit' | 'paging'>): Omit<ShapeRules, 'depth'> {
  return { omit: [...ENVELOPE_MEMBERS, ...omit], areGapsRows: paging?.member === 'gaps' }
}

function answerIn(plan: ToolPlan, depth: number, page: Page, found: FoundMarket | undefined): ToolAnswer {
  const { answer, body = answer.body, next, leftOut } = page
  const shape = new ReplyShape({ ...rulesOf(plan), depth })
  const { nextCursor: _, ...aside } = answer.aside ?? {}
  const about = Object.entries(aside).filter(([, value]) => value !== undefined)
  const hint = plan.hintOf?.(body)
  const content = {
    answer: shape.of(body),
    ...(!isNamedById(found) && { found: shape.of(found) }),
    ...(answer.emptyReason !== undefined && { empty_reason: answer.emptyReason }),
    ...(hint !== undefined && { hint }),
    ...(about.length > 0 && { about: shape.of(Object.fromEntries(about)) }),
    ...(plan.hasLadders && { levels: { depth, left_out: shape.levelsLeftOut } }),
    ...(plan.paging && {
      next_cursor: next,
      truncated:
        leftOut === 0 ? null : { rows_left_out: leftOut, next_cursor: next, hint: truncationHint(next, found) },
    }),
  }
  return { content, ...(answer.exactBooks && { books: depth === 0 ? 0 : answer.exactBooks(body) }) }
}

/** Without `from`, some lists return their newest rows, so the omitted rows are older than these. */
function truncationHint(next: string | null, found: FoundMarket | undefined): string {
  if (next === null) return 'The omitted rows are older than these. Call again with from and to.'
  const again = 'Call again with next_cursor as cursor and the same other arguments'
  // A series may have another window by then.
  return isNamedById(found) ? `${again}.` : `${again}, and the market_id of the answer as market.`
}

interface OwnValues {
  readonly depth?: number
  readonly limit?: number
  readonly cursor?: string
}

function inputOf(plan: ToolPlan): z.ZodObject<Record<string, z.ZodType>> {
  const { endpoint, hasLadders, paging, hides = [] } = plan
  const { usual = 0, most = 0 } = paging?.limit ?? {}
  return z.strictObject({
    ...argumentsOf(endpoint, ['includebook', ...(paging?.replaces ?? []), ...hides]),
    ...(idParameterOf(endpoint) !== undefined && { venue: VenueOfSlug }),
    ...(hasLadders && { depth: Depth }),
    ...(paging?.limit && {
      limit: wholeNumber(1, most).default(usual).describe(`most rows; a long answer has fewer; default ${usual}`),
    }),
    ...(paging && {
      cursor: z.string().min(1).max(400).optional().describe('next_cursor of the previous answer'),
    }),
  })
}
