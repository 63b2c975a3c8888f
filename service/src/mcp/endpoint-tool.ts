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

/** One endpoint as a tool: what agents are told of it, and what they need not see. */
export interface ToolPlan {
  readonly endpoint: Endpoint
  readonly title: string
  /** When to use it, in sentences. */
  readonly use: string
  /** Where the tool never gives everything that the endpoint may. */
  readonly reply?: z.ZodType
  readonly paging?: Paging
  /** Its replies have bids and asks, of which `depth` levels are shown. */
  readonly hasLadders?: true
  /** Parameters that the tool decides itself. */
  readonly hides?: readonly string[]
  /** Members that only repeat what else is said. */
  readonly omit?: readonly string[]
}

const USUAL_DEPTH = 10
export const Depth = wholeNumber(0, 50)
  .default(USUAL_DEPTH)
  .describe(`levels of each ladder, from the best price on; 0 leaves ladders out; default ${USUAL_DEPTH}`)

const NOTHING = z.object({})
/** Said once for every tool, beside the answer. */
const SAID_BESIDE = ['next_cursor', 'empty_reason']

export function endpointTool(plan: ToolPlan): Tool {
  const { endpoint, title, use } = plan
  const access = keyAccessOf(endpoint)
  if (access === undefined) throw new TypeError(`${endpoint.name} asks for no key`)
  const own = ownArguments(plan)
  const input = z.strictObject({ ...endpointArguments(plan), ...own.shape })
  const price = access.credits ?? 0
  const cost = price === 0 ? 'Costs no credits.' : `Costs ${price} credits for each answer.`
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
      readValues(endpoint.params ?? NOTHING, texts, 'arguments')
      const ask = (context: RequestContext, asked: Texts): Promise<Answer<unknown>> =>
        askEndpoint(endpoint, context, asked)
      const contentOf = (page: Page): Content => contentIn(plan, depth, page)
      const { paging } = plan
      if (paging === undefined) {
        return async (context) =>
          contentOf({ answer: await ask(context, shown), body: undefined, next: null, leftOut: 0 })
      }
      const askedFor = (rows: number): Texts => paging.ask(shown, { cursor, limit: rows })
      readValues(endpoint.query ?? NOTHING, askedFor(limit), 'arguments')
      return (context) => pageThatFits(paging, limit, { askedFor, ask: (asked) => ask(context, asked), contentOf })
    },
  }
}

/** The endpoint itself, with parameters as an address would carry them. */
export function askEndpoint(endpoint: Endpoint, context: RequestContext, texts: Texts): Promise<Answer<unknown>> {
  const params = readValues(endpoint.params ?? NOTHING, texts, 'arguments')
  const query = readValues(endpoint.query ?? NOTHING, texts, 'arguments')
  return endpoint.handle({ ...context, params, query, body: undefined })
}

export function rulesOf({ omit = [], paging }: Pick<ToolPlan, 'omit' | 'paging'>): Omit<ShapeRules, 'depth'> {
  return { omit: [...SAID_BESIDE, ...omit], areGapsRows: paging?.member === 'gaps' }
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

/** Without a beginning some lists give their newest rows, and what is left out then lies before them. */
function hintOf(next: string | null): string {
  return next === null
    ? 'What is left out lies before these rows: ask for it with from and to.'
    : 'Ask again with next_cursor as cursor and the same other arguments.'
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
        .describe(`rows; fewer are shown where that many would be too long; default ${usual}`),
    }),
    ...(paging && {
      cursor: z
        .string()
        .min(1)
        .max(400)
        .optional()
        .describe('next_cursor of the answer before, with the same other arguments'),
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
