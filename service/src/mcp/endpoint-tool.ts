import { z } from 'zod'
import { type Answer, type Endpoint, keyAccessOf, type RequestContext } from '../endpoints/endpoint.ts'
import { jsonSchemaOf } from '../endpoints/schemas/json-schema.ts'
import { wholeNumber } from '../endpoints/schemas/parameters.ts'
import { readValues } from '../endpoints/schemas/read-values.ts'
import { outputSchemaOf } from './output-schema.ts'
import { type Page, pageThatFits } from './page-that-fits.ts'
import type { Paging, Texts } from './paging.ts'
import { textsOf } from './read-arguments.ts'
import { ReplyShape, type ShapeRules } from './reply-shape.ts'
import type { Content, Tool } from './tool.ts'

/** How an endpoint is presented as a tool. */
export interface ToolPlan {
  readonly endpoint: Endpoint
  readonly title: string
  /** Says when to use the tool. */
  readonly use: string
  /** Given when the tool returns only a part of the endpoint's reply schema. */
  readonly reply?: z.ZodType
  readonly paging?: Paging
  /** Replies contain bids and asks, which are cut to `depth` levels. */
  readonly hasLadders?: true
  /** Parameters of the endpoint that the tool does not offer. */
  readonly hides?: readonly string[]
  /** Redundant members, left out of the reply. */
  readonly omit?: readonly string[]
}

const DEFAULT_DEPTH = 10
export const Depth = wholeNumber(0, 50)
  .default(DEFAULT_DEPTH)
  .describe(`levels per ladder, best price first; 0 omits ladders; default ${DEFAULT_DEPTH}`)

const NO_PARAMETERS = z.object({})
/** Members that every tool returns beside the answer. */
const ENVELOPE_MEMBERS = ['next_cursor', 'empty_reason']

export function endpointTool(plan: ToolPlan): Tool {
  const { endpoint, title, use } = plan
  const access = keyAccessOf(endpoint)
  if (access === undefined) throw new TypeError(`${endpoint.name} needs no key and can't be a tool`)
  const own = ownArguments(plan)
  const input = z.strictObject({ ...endpointArguments(plan), ...own.shape })
  const price = access.credits ?? 0
  const cost = price === 0 ? 'Costs no credits.' : `Costs ${price} credits per answer.`
  return {
    name: endpoint.name,
    title,
    description: `${use} ${cost}`,
    access,
    inputSchema: jsonSchemaOf(input, 'input'),
    outputSchema: outputSchemaOf(plan.reply ?? endpoint.reply, rulesOf(plan), plan),
    read(given) {
      const texts = textsOf(given, Object.keys(input.shape))
      const { depth = 0, limit = 0, cursor } = readValues(own, texts, 'arguments') as OwnValues
      const shown = 'includebook' in shapeOf(endpoint.query) ? { ...texts, includebook: String(depth > 0) } : texts
      readValues(endpoint.params ?? NO_PARAMETERS, texts, 'arguments')
      const call = (context: RequestContext, parameters: Texts): Promise<Answer<unknown>> =>
        callEndpoint(endpoint, context, parameters)
      const contentOf = (page: Page): Content => contentIn(plan, depth, page)
      const { paging } = plan
      if (paging === undefined) {
        return async (context) =>
          contentOf({ answer: await call(context, shown), body: undefined, next: null, leftOut: 0 })
      }
      const parametersFor = (rows: number): Texts => paging.parameters(shown, { cursor, limit: rows })
      readValues(endpoint.query ?? NO_PARAMETERS, parametersFor(limit), 'arguments')
      return (context) =>
        pageThatFits(paging, limit, { parametersFor, call: (parameters) => call(context, parameters), contentOf })
    },
  }
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

function contentIn(plan: ToolPlan, depth: number, { answer, body = answer.body, next, leftOut }: Page): Content {
  const shape = new ReplyShape({ ...rulesOf(plan), depth })
  const { nextCursor: _, ...aside } = answer.aside ?? {}
  const about = Object.entries(aside).filter(([, value]) => value !== undefined)
  return {
    answer: shape.of(body),
    ...(answer.emptyReason !== undefined && { empty_reason: answer.emptyReason }),
    ...(about.length > 0 && { about: shape.of(Object.fromEntries(about)) }),
    ...(plan.hasLadders && { levels: { depth, left_out: shape.levelsLeftOut } }),
    ...(plan.paging && {
      next_cursor: next,
      truncated: leftOut === 0 ? null : { rows_left_out: leftOut, next_cursor: next, hint: hintOf(next) },
    }),
  }
}

/** Without `from`, some lists return their newest rows, so the omitted rows are older than these. */
function hintOf(next: string | null): string {
  return next === null
    ? 'The omitted rows are older than these. Call again with from and to.'
    : 'Call again with next_cursor as cursor and the same other arguments.'
}

interface OwnValues {
  readonly depth?: number
  readonly limit?: number
  readonly cursor?: string
}

function ownArguments({ hasLadders, paging }: ToolPlan): z.ZodObject<Record<string, z.ZodType>> {
  const { usual = 0, most = 0 } = paging?.limit ?? {}
  return z.object({
    ...(hasLadders && { depth: Depth }),
    ...(paging?.limit && {
      limit: wholeNumber(1, most)
        .default(usual)
        .describe(`number of rows; fewer are returned when the answer would be too long; default ${usual}`),
    }),
    ...(paging && {
      cursor: z
        .string()
        .min(1)
        .max(400)
        .optional()
        .describe('next_cursor of the previous answer, with the same other arguments'),
    }),
  })
}

function endpointArguments({ endpoint, paging, hides = [] }: ToolPlan): Record<string, z.ZodType> {
  const hidden = ['includebook', ...(paging?.replaces ?? []), ...hides]
  const all = { ...shapeOf(endpoint.params), ...shapeOf(endpoint.query) }
  return Object.fromEntries(Object.entries(all).filter(([name]) => !hidden.includes(name)))
}

function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> {
  return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
}
