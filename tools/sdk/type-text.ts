/** The parts of JSON Schema that our documents use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: boolean | Schema
  readonly prefixItems?: readonly Schema[]
  readonly maximum?: number
}

/** A schema as a TypeScript type. A kind of schema that is not known here is refused: a guess would be a wrong type. */
export function typeText(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return literalText(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literalText).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) {
    const texts = new Set(choices.map((each) => typeText(each, indent)))
    // A plain `string` beside known values would hide them from editors.
    const isOpenList = texts.has('string') && choices.some(({ enum: values }) => values !== undefined)
    return [...texts].map((text) => (isOpenList && text === 'string' ? '(string & {})' : text)).join(' | ')
  }
  if (schema.allOf !== undefined) return schema.allOf.map((each) => inBrackets(typeText(each, indent))).join(' & ')
  if (schema.type === undefined) return 'unknown'
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  return types.map((type) => typeOf(type, schema, indent)).join(' | ')
}

function typeOf(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'null':
      return type
    case 'integer':
      return 'number'
    case 'array':
      return listText(schema, indent)
    case 'object':
      return objectText(schema, indent)
    default:
      throw new Error(`a schema of type ${type} has no type text`)
  }
}

function listText({ prefixItems, items }: Schema, indent: string): string {
  if (prefixItems !== undefined) return `[${prefixItems.map((each) => typeText(each, indent)).join(', ')}]`
  if (typeof items !== 'object') return 'unknown[]'
  return `${inBrackets(typeText(items, indent))}[]`
}

function objectText(schema: Schema, indent: string): string {
  const { properties, additionalProperties } = schema
  if (properties !== undefined && Object.keys(properties).length > 0)
    return `{\n${membersText(schema, `${indent}  `)}${indent}}`
  if (typeof additionalProperties === 'object') return `Record<string, ${typeText(additionalProperties, indent)}>`
  return 'Record<string, unknown>'
}

/** The members of an object, one a line, each below its description. */
function membersText({ properties = {}, required = [] }: Schema, indent: string): string {
  return Object.entries(properties)
    .map(([name, member]) => {
      const mark = required.includes(name) ? '' : '?'
      return `${commentText(member.description, indent)}${indent}${keyText(name)}${mark}: ${typeText(member, indent)}\n`
    })
    .join('')
}

export function literalText(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}

export function commentText(words: string | undefined, indent: string): string {
  if (words === undefined || words === '') return ''
  const lines = words.replaceAll('*/', '* /').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** A named type: an interface where it is an object, else an alias. */
export function declarationText(name: string, schema: Schema): string {
  const comment = commentText(schema.description, '')
  const isObject = schema.type === 'object' && schema.properties !== undefined
  if (isObject) return `${comment}export interface ${name} {\n${membersText(schema, '  ')}}\n`
  return `${comment}export type ${name} = ${typeText(schema)}\n`
}

function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literalText(name)
}

function inBrackets(text: string): string {
  return /[|&]/.test(text) && !text.startsWith('{') && !text.startsWith('[') ? `(${text})` : text
}
