type Scalar = string | number | boolean

/** The parts of a JSON Schema that the endpoints use. */
export interface Schema {
  readonly $ref?: string
  readonly title?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly Scalar[]
  readonly const?: Scalar
  readonly default?: Scalar
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'time',
  date: 'date',
  uuid: 'UUID',
  uri: 'URL',
}

export function nameOf({ $ref = '' }: Schema): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

export function alternativesOf({ anyOf, oneOf }: Schema): readonly Schema[] | undefined {
  return anyOf ?? oneOf
}

/** Type of a value; `linkTo` makes the link to a named object. */
export function typeText(schema: Schema, linkTo: (name: string) => string): string {
  if (schema.$ref !== undefined) return linkTo(nameOf(schema))
  const alternatives = alternativesOf(schema)
  if (alternatives !== undefined) return [...new Set(alternatives.map((each) => typeText(each, linkTo)))].join(' or ')
  if (schema.prefixItems !== undefined)
    return `[${schema.prefixItems.map((each) => each.description ?? typeText(each, linkTo)).join(', ')}]`
  if (schema.type === 'array') return `list of ${typeText(schema.items ?? {}, linkTo)}`
  if (typeof schema.additionalProperties === 'object')
    return `object of ${typeText(schema.additionalProperties, linkTo)}`
  if (schema.type === 'string' && schema.format !== undefined) return FORMATS[schema.format] ?? 'string'
  if (schema.type === undefined) return schema.const === undefined ? 'any' : typeof schema.const
  return [schema.type].flat().join(' or ')
}

/** Allowed values or bounds; empty when every value of the type is allowed. */
export function allowedText(schema: Schema): string {
  const alternatives = alternativesOf(schema)
  if (alternatives !== undefined) return [...new Set(alternatives.map(allowedText))].filter(Boolean).join(', or ')
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.type === 'array') return listText(schema)
  return [boundsText(schema), lengthText(schema)].filter(Boolean).join('; ')
}

function listText({ minItems, maxItems, items }: Schema): string {
  const values = items === undefined || items.$ref !== undefined ? '' : allowedText(items)
  if (minItems !== undefined && minItems === maxItems) return [`${minItems} items`, values].filter(Boolean).join('; ')
  const bounds = [
    minItems !== undefined && `at least ${minItems}`,
    maxItems !== undefined && `at most ${maxItems.toLocaleString('en')}`,
  ]
  return [...bounds, values].filter(Boolean).join('; ')
}

function boundsText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string {
  const from = minimum ?? exclusiveMinimum
  const to = maximum ?? exclusiveMaximum
  const [low, high] = [from, to].map((bound) => bound?.toLocaleString('en', { maximumFractionDigits: 10 }))
  const above = exclusiveMinimum !== undefined ? `more than ${low}` : low
  if (from !== undefined && to !== undefined)
    return exclusiveMinimum === undefined ? `${low} to ${high}` : `${above}, up to ${high}`
  if (from !== undefined) return exclusiveMinimum === undefined ? `${low} or more` : `${above}`
  return to === undefined ? '' : `up to ${high}`
}

function lengthText({ minLength, maxLength }: Schema): string {
  if (maxLength === undefined) return ''
  return minLength === undefined ? `up to ${maxLength} characters` : `${minLength} to ${maxLength} characters`
}
