import { allowedText, alternativesOf, nameOf, type Schema, typeText } from './schema.ts'

interface Member {
  readonly path: string
  readonly schema: Schema
  readonly isOptional: boolean
}

type LinkTo = (name: string) => string

/** A table of the members of an object; nested objects without a name are listed with their path. */
export function memberTable(schema: Schema, linkTo: LinkTo): string {
  const rows = membersOf(schema, '').map(({ path, schema: member, isOptional }) => {
    const type = cell(typeText(member, linkTo))
    const meaning = [member.description, valuesText(member)].filter(Boolean).join('; ')
    return `| \`${path}\` | ${type}${isOptional ? ', optional' : ''} | ${cell(meaning)} |`
  })
  return `| Member | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`
}

/** Escapes what would end a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** Names of the named objects that the schema mentions, in order, each once. */
export function referencesIn(schema: Schema): string[] {
  const { $ref, items, prefixItems = [], properties = {}, additionalProperties } = schema
  const parts = [
    ...(items === undefined ? [] : [items]),
    ...prefixItems,
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(alternativesOf(schema) ?? []),
  ]
  return [...($ref === undefined ? [] : [nameOf(schema)]), ...parts.flatMap(referencesIn)]
}

function membersOf({ properties = {}, required = [] }: Schema, prefix: string): Member[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`
    const member = { path, schema, isOptional: !required.includes(name) }
    const { items = {} } = schema
    if (schema.properties !== undefined) return [member, ...membersOf(schema, `${path}.`)]
    if (items.properties !== undefined) return [member, ...membersOf(items, `${path}[].`)]
    const inner = (alternativesOf(schema) ?? []).find((each) => each.properties !== undefined)
    return inner === undefined ? [member] : [member, ...membersOf(inner, `${path}.`)]
  })
}

function valuesText(schema: Schema): string {
  const values = allowedText(schema)
  if (values === '') return ''
  return schema.enum !== undefined || schema.const !== undefined || hasEnum(schema) ? values : ''
}

function hasEnum(schema: Schema): boolean {
  const parts = [...(alternativesOf(schema) ?? []), ...(schema.items === undefined ? [] : [schema.items])]
  return parts.some((each) => each.enum !== undefined || hasEnum(each))
}
