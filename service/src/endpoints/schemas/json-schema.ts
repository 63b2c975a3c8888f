import { z } from 'zod'

export type Json = Record<string, unknown>

/** JSON Schema of a zod schema as callers should see it; its named parts stand in `$defs`. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json & { $defs?: Json } {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy }) as Json
  return json
}

/** Where a schema says in `override` how callers should see it, that is shown; bounds nobody meant are left out. */
function tidy({ jsonSchema }: { jsonSchema: Json }): void {
  const { override } = jsonSchema
  if (typeof override === 'object' && override !== null) {
    const { description, default: usual } = jsonSchema
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
    Object.assign(jsonSchema, override, description !== undefined && { description })
    if (usual !== undefined) jsonSchema.default = usual
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}
