import { z } from 'zod'
import { type Json, jsonSchemaOf } from '../endpoints/schemas/json-schema.ts'
import type { Paging } from './paging.ts'
import type { ShapeRules } from './reply-shape.ts'
import { objectOf, shapeSchema } from './shape-schema.ts'

const NextCursor = z.string().nullable().describe('pass it as cursor to get the next rows; null at the end')

/** Members beside the answer. */
const Envelope = z.object({
  empty_reason: z.string().describe('why the answer is empty'),
  about: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('totals, applied filters, and what the tier excludes'),
  levels: z
    .object({ depth: z.int(), left_out: z.int().describe('number of levels that were omitted from all ladders') })
    .describe('how ladders were cut; depth sums include all levels'),
  next_cursor: NextCursor,
  truncated: z
    .object({ rows_left_out: z.int(), next_cursor: NextCursor, hint: z.string() })
    .nullable()
    .describe('requested rows that were omitted because the answer would be too long; null when there are none'),
  credits: z.object({
    charged: z.int(),
    remaining: z.int().optional().describe('remaining credits of the account, only after a charge'),
  }),
})

const ALWAYS = ['answer', 'credits']
const PAGING_MEMBERS = ['next_cursor', 'truncated']

interface Kind {
  readonly paging?: Paging
  readonly hasLadders?: true
}

/** Output schema of a tool, from the reply schema of its endpoint. */
export function outputSchemaOf(reply: z.ZodType, rules: Omit<ShapeRules, 'depth'>, { paging, hasLadders }: Kind): Json {
  const { $defs, ...answer } = shapeSchema(jsonSchemaOf(reply, 'output'), rules) as Json
  const envelope = jsonSchemaOf(Envelope, 'output').properties as Json
  const absent = [...(paging ? [] : PAGING_MEMBERS), ...(hasLadders ? [] : ['levels'])]
  const members = Object.fromEntries(Object.entries(envelope).filter(([name]) => !absent.includes(name)))
  const required = [...ALWAYS, ...(paging ? PAGING_MEMBERS : []), ...(hasLadders ? ['levels'] : [])]
  return { ...objectOf({ answer, ...members }, required), ...($defs !== undefined && { $defs }) }
}
