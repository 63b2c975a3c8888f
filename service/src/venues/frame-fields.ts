/** A JSON object that is not validated yet. */
export type Fields = Readonly<Record<string, unknown>>

/** A field does not have the documented form; the message is short and safe to log. */
export class Malformed extends Error {}

export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Malformed(`${what} is not an object`)
  return value as Fields
}

export function textIn(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value !== 'string') throw new Malformed(`${key} is ${value === undefined ? 'missing' : 'not a string'}`)
  return value
}
