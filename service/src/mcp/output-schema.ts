import { z } from 'zod'
import { type Json, jsonSchemaOf } from '../endpoints/schemas/json-schema.ts'
import type { Paging } from './paging.ts'
import type { ShapeRules } from './reply-shape.ts'
import { objectOf, shapeSchema } from './shape-schema.ts'

const NextCursor = z.string().nullable().describe('hand it back as cursor to go on; null when nothing follows')

/** What stands beside an answer. */
const Beside = z.object({
  empty_reason: z.string().describe('why there is nothing'),
  about: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('totals, applied filters, what the tier left out'),
  levels: z
    .object({ depth: z.int(), left_out: z.int().describe('levels of all ladders that exist and are not shown') })
    .describe('how ladders were cut; depth sums count every level'),
  next_cursor: NextCursor,
  truncated: z
    .object({ rows_left_out: z.int(), next_cursor: NextCursor, hint: z.string() })
    .nullable()
    .describe('rows that were asked for and left out because the answer would be too long; null when none was'),
  credits: z.object({
    charged: z.int(),
    remaining: z.int().optional().describe('of the account, told when something was charged'),
  }),
})

const ALWAYS = ['answer', 'credits']
const OF_LISTS = ['next_cursor', 'truncated']

interface Kind {
  readonly paging?: Paging
  readonly hasLadders?: true
}

/** What a tool gives, from what its endpoint replies. */
export function outputSchemaOf(reply: z.ZodType, rules: Omit<ShapeRules, 'depth'>, { paging, hasLadders }: Kind): Json {
  const { $defs, ...answer } = shapeSchema(jsonSchemaOf(reply, 'output'), rules) as Json
  const beside = jsonSchemaOf(Beside, 'output').properties as Json
  const lacks = [...(paging ? [] : OF_LISTS), ...(hasLadders ? [] : ['levels'])]
  const members = Object.fromEntries(Object.entries(beside).filter(([name]) => !lacks.includes(name)))
  const needed = [...ALWAYS, ...(paging ? OF_LISTS : []), ...(hasLadders ? ['levels'] : [])]
  return { ...objectOf({ answer, ...members }, needed), ...($defs !== undefined && { $defs }) }
}
