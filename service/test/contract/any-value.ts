import fc from 'fast-check'
import type { Json } from '../../src/endpoints/schemas/json-schema.ts'

type Schema = Readonly<Record<string, unknown>>

/** Text that files must not change: delimiters, quotes, formulas, line ends and other languages. */
const TEXT = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('=1+1', '-2°C or below', 'a,b', 'a\tb', 'say "no"', 'größer\nkleiner', '\\N?'),
)

/** Any value that a JSON schema allows, as far as the schemas of answers go. */
export function anyOf(schema: Json, root: Json = schema, isItem = false): fc.Arbitrary<unknown> {
  const {
    type,
    enum: values,
    const: only,
    anyOf: some,
    oneOf,
    allOf,
    $ref,
    items,
    prefixItems,
  } = schema as Schema & {
    readonly anyOf?: Json[]
    readonly oneOf?: Json[]
    readonly allOf?: Json[]
    readonly prefixItems?: Json[]
    readonly enum?: unknown[]
  }
  const inner = (each: unknown): fc.Arbitrary<unknown> => anyOf(each as Json, root, isItem)
  if (typeof $ref === 'string') return inner(referred(root, $ref))
  if (only !== undefined) return fc.constant(only)
  if (values !== undefined) return fc.constantFrom(...values)
  const choices = some ?? oneOf
  if (choices !== undefined) return fc.oneof(...choices.map(inner))
  if (allOf !== undefined)
    return fc.tuple(...allOf.map(inner)).map((parts) => Object.assign({}, ...(parts as object[])))
  switch (type) {
    case 'object':
      return anyObject(schema as Schema, inner)
    case 'array':
      return prefixItems === undefined
        ? // An item whose own list is empty may have no row.
          fc.array(anyOf(items as Json, root, true), { minLength: isItem ? 1 : 0, maxLength: 3 })
        : fc.tuple(...prefixItems.map(inner))
    case 'string':
      return TEXT
    case 'integer':
    case 'number':
      return anyNumber(schema as Schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.oneof(TEXT, fc.integer())
  }
}

function anyObject(
  { properties = {}, required = [], additionalProperties }: Schema,
  inner: (each: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties as Schema).map(([name, each]) => [name, inner(each)] as const)
  if (members.length > 0)
    return fc.record(Object.fromEntries(members), { requiredKeys: required as string[] }) as fc.Arbitrary<unknown>
  return typeof additionalProperties === 'object'
    ? fc.dictionary(fc.constantFrom('one', 'two', 'three'), inner(additionalProperties))
    : fc.constant({})
}

function anyNumber({ type, minimum = -1e9, maximum = 1e9 }: Schema): fc.Arbitrary<number> {
  const range = { min: Math.max(Number(minimum), -1e9), max: Math.min(Number(maximum), 1e9) }
  if (type === 'integer') return fc.integer({ min: Math.ceil(range.min), max: Math.floor(range.max) })
  return fc.double({ ...range, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value))
}

function referred(root: Json, reference: string): Json {
  const steps = reference.split('/').slice(1)
  return steps.reduce<unknown>((part, step) => (part as Schema)[step], root) as Json
}
