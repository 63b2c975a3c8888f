import { z } from 'zod'

export type Json = Record<string, unknown>

/** A string with known values to which others may be added. */
export function openEnum<Value extends string>(values: readonly Value[]) {
  return z.union([z.enum(values), z.string()])
}

/** The JSON Schema of a zod schema as callers see it; its named parts are in `$defs`. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json & { $defs?: Json } {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy }) as Json
  return json
}

/** Shows the schema in `override` instead of the zod schema, and leaves out the bounds of safe integers. */
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
