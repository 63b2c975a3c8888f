import type { Endpoint } from '../endpoints/endpoint.ts'
import { FORMS } from '../endpoints/forms.ts'
import type { Json } from '../endpoints/schemas/json-schema.ts'

const FORM_PARAMETER: Json = {
  name: 'form',
  in: 'query',
  required: false,
  description:
    'declared: markets, token books and snapshots have exactly the members of the declared schema (snake_case, levels as `[price, size]`); available as json, csv and tsv',
  schema: { type: 'string', enum: FORMS, default: 'described' },
}

export function formParameters({ declared }: Endpoint): Json[] {
  return declared === undefined ? [] : [FORM_PARAMETER]
}

/**
 * The schema of an answer in either form. The forms have titles; what they share, such as a dry run, has none.
 * It is `anyOf` because an empty list of snapshots is valid in both forms.
 */
export function eitherForm(described: Json, declared: Json): Json {
  const [inDescribed, inDeclared] = [choicesOf(described), choicesOf(declared)]
  const isIn = (choices: readonly Json[], wanted: Json): boolean =>
    choices.some((each) => JSON.stringify(each) === JSON.stringify(wanted))
  return {
    anyOf: [
      ...inDescribed.filter((each) => !isIn(inDeclared, each)).map((each) => ({ title: 'form=described', ...each })),
      ...inDeclared.filter((each) => !isIn(inDescribed, each)).map((each) => ({ title: 'form=declared', ...each })),
      ...inDescribed.filter((each) => isIn(inDeclared, each)),
    ],
  }
}

function choicesOf(schema: Json): readonly Json[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
}
