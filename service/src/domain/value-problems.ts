import { z } from 'zod'

/** Why a value is refused: `limit` `must be between 1 and 500, got 900`. */
export interface Problem {
  readonly parameter: string
  readonly problem: string
}

export type Checked<Output> = { readonly data: Output } | { readonly problems: readonly [Problem, ...Problem[]] }

type RawIssue = z.core.$ZodRawIssue
type Issue = z.core.$ZodIssue

interface Bounds {
  readonly least: number | undefined
  readonly most: number | undefined
}

const MAX_SHOWN = 40
const FORMS = new WeakMap<z.ZodUnion, readonly string[]>()
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}
const FORMATS: Readonly<Record<string, string>> = {
  url: 'an address such as https://example.com',
  uuid: 'a UUID such as 3f2c8a52-6d0e-4c1b-9a57-0d6f1b2c3e4d',
  date: 'a day such as 2026-11-15',
  datetime: 'a time such as 2026-11-15T12:00:00Z',
}

/** The value after the schema's checks, or every problem as a sentence of ours. `place` names the value as a whole. */
export function checkValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: string,
): Checked<z.output<Schema>> {
  const result = schema.safeParse(value, { error: sentenceOf })
  if (result.success) return { data: result.data }
  const [first, ...others] = result.error.issues.flatMap(meantIssues)
  if (first === undefined) throw new TypeError('a refused value has no problem')
  const problemOf = ({ path, message }: Issue): Problem => ({ parameter: nameOf(path) || place, problem: message })
  return { problems: [problemOf(first), ...others.map(problemOf)] }
}

/** The refused value, for the end of a message. Long texts are cut, and lists and objects are not shown: they may be deeper than the stack. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list'
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : 'an object'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_SHOWN) : value) ?? String(value)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`
}

/** Says what is allowed. The validator calls it where a schema has no text of its own. */
function sentenceOf(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeOf(issue)}${got(issue.input)}`
    case 'invalid_value': {
      const allowed = listOf(issue.values)
      return issue.input === undefined ? `is required and must be ${allowed}` : `must be ${allowed}${got(issue.input)}`
    }
    case 'too_small':
    case 'too_big':
      return sizeProblem(issue)
    case 'invalid_format':
      return formatProblem(issue)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}${got(issue.input)}`
    case 'unrecognized_keys':
      return unknownMembers(issue)
    case 'invalid_union':
      return formsOf(issue)
    case 'invalid_key':
    case 'invalid_element':
      return `has an entry that is not allowed: it ${issue.issues[0]?.message ?? 'is not valid'}`
    default:
      return `is not valid${got(issue.input)}`
  }
}

function typeOf(issue: RawIssue & { code: 'invalid_type' }): string {
  const bounds = numberBounds(issue.schema)
  const isWhole = issue.schema instanceof z.ZodNumber && issue.schema.isInt
  const type = TYPES[isWhole ? 'int' : issue.expected] ?? `of the type ${issue.expected}`
  if (bounds === undefined) return type
  return bounds.least === undefined || bounds.most === undefined
    ? `${type}, ${rangeOf(bounds)}`
    : `${type} ${rangeOf(bounds)}`
}

function sizeProblem(issue: RawIssue & { code: 'too_small' | 'too_big' }): string {
  const own: Bounds =
    issue.code === 'too_small'
      ? { least: Number(issue.minimum), most: undefined }
      : { least: undefined, most: Number(issue.maximum) }
  const { input } = issue
  if (typeof input === 'string' || Array.isArray(input)) {
    const unit = typeof input === 'string' ? 'character' : 'item'
    return `must have ${countOf(lengthBounds(issue.schema) ?? own, unit)}, got ${input.length}`
  }
  return `must be ${rangeOf(numberBounds(issue.schema) ?? own, issue.inclusive)}${got(input)}`
}

function rangeOf({ least, most }: Bounds, isInclusive = true): string {
  if (least !== undefined && most !== undefined) return `between ${least} and ${most}`
  if (least !== undefined) return `${isInclusive ? 'at least' : 'more than'} ${least}`
  return `${isInclusive ? 'at most' : 'less than'} ${most}`
}

function countOf({ least, most }: Bounds, unit: string): string {
  if (least === most) return plural(least, unit)
  if (least !== undefined && most !== undefined) return `${least} to ${plural(most, unit)}`
  return least === undefined ? `at most ${plural(most, unit)}` : `at least ${plural(least, unit)}`
}

function plural(count: number | undefined, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Undefined when the schema is no number, or has no bounds but those of safe integers. */
function numberBounds(schema: unknown): Bounds | undefined {
  if (!(schema instanceof z.ZodNumber)) return undefined
  const isReal = (bound: number | null): bound is number => bound !== null && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  const [least, most] = [schema.minValue, schema.maxValue].map((bound) => (isReal(bound) ? bound : undefined))
  return least === undefined && most === undefined ? undefined : { least, most }
}

function lengthBounds(schema: unknown): Bounds | undefined {
  if (schema instanceof z.ZodString)
    return { least: schema.minLength ?? undefined, most: schema.maxLength ?? undefined }
  if (!(schema instanceof z.ZodArray)) return undefined
  const checks = (schema.def.checks ?? []).map(({ _zod }) => _zod.def as { minimum?: number; maximum?: number })
  const bound = (side: 'minimum' | 'maximum') => checks.find((check) => check[side] !== undefined)?.[side]
  return { least: bound('minimum'), most: bound('maximum') }
}

/** The value is not shown, because addresses may contain passwords. */
function formatProblem({ format, pattern }: RawIssue & { code: 'invalid_format' }): string {
  if (format === 'regex') return `must match ${pattern}`
  return `must be ${FORMATS[format] ?? `of the form ${format}`}`
}

function unknownMembers({ keys, schema }: RawIssue & { code: 'unrecognized_keys' }): string {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const allowed = names.length === 0 ? '' : `; allowed are ${names.join(', ')}`
  return `has ${keys.length === 1 ? 'an unknown member' : 'unknown members'}: ${keys.map(cut).join(', ')}${allowed}`
}

function formsOf(issue: RawIssue & { code: 'invalid_union' }): string {
  const values = 'options' in issue ? issue.options : undefined
  const { input } = issue
  if (issue.discriminator !== undefined && Array.isArray(values)) {
    const given = typeof input === 'object' && input !== null ? Reflect.get(input, issue.discriminator) : undefined
    return given === undefined ? `is required and must be ${listOf(values)}` : `must be ${listOf(values)}${got(given)}`
  }
  const { schema } = issue
  const forms = schema instanceof z.ZodUnion ? knownForms(schema) : []
  return forms.length === 0 ? `is not valid${got(input)}` : `must have one of these forms: ${forms.join(', ')}`
}

/** Computed once for each schema, because a request may have hundreds of refused values. */
function knownForms(schema: z.ZodUnion): readonly string[] {
  const forms = FORMS.get(schema) ?? schema.options.flatMap(membersOf)
  FORMS.set(schema, forms)
  return forms
}

function membersOf(option: unknown): string[] {
  if (!(option instanceof z.ZodObject)) return []
  const names = Object.entries(option.shape as Record<string, z.ZodType>).map(([name, member]) =>
    member.safeParse(undefined).success ? `${name}?` : name,
  )
  return [`{${names.join(', ')}}`]
}

/** When the members of the value fit exactly one form, the problems of that form are the ones that help. */
function meantIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.filter((inner) => inner.length > 0 && inner.every(({ path }) => path.length > 0))
  const [only] = meant
  if (only === undefined || meant.length > 1) return [issue]
  return only.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(meantIssues)
}

function listOf(values: readonly unknown[]): string {
  return `${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`
}

function got(input: unknown): string {
  return Number.isNaN(input) ? '' : `, got ${shown(input)}`
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`
}

/** `selectors[0].timeframe` */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? cut(String(part)) : `${name}.${cut(String(part))}`
  }, '')
}
