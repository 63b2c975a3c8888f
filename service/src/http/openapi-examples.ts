import { API_ERRORS, type ErrorCode } from '../domain/api-error.ts'
import type { Json } from '../endpoints/schemas/json-schema.ts'
import type { ErrorExample } from './examples.ts'

export type ErrorExamples = Readonly<Record<string, ErrorExample>>

/** The recorded answers of one operation as members of a media type: `example`, or `examples` when there are several. */
export function answerExamples(operation: string, examples: Readonly<Record<string, unknown>>): Json {
  const usual = examples[operation]
  if (usual === undefined) return {}
  const prefix = `${operation}.`
  const further = Object.entries(examples).filter(([name]) => name.startsWith(prefix))
  if (further.length === 0) return { example: usual }
  const named = further.map(([name, value]) => [name.slice(prefix.length), { value }])
  return { examples: { usual: { value: usual }, ...Object.fromEntries(named) } }
}

/** The recorded errors that the paths refer to, as components, which the responses of all operations share. */
export function errorExampleComponents(examples: ErrorExamples, paths: Json): Json {
  const text = JSON.stringify(paths)
  const used = Object.entries(examples).filter(([name]) => text.includes(`/examples/${name}"`))
  return Object.fromEntries(used.map(([name, { when, answer }]) => [name, { summary: when, value: answer }]))
}

/** References to the recorded errors with these codes and this status, as members of a media type. */
export function errorExamples(codes: readonly ErrorCode[], status: number, examples: ErrorExamples): Json {
  const names = codes
    .map((code) => (API_ERRORS[code].status === status ? code : `${code}.${status}`))
    .filter((name) => name in examples)
  if (names.length === 0) return {}
  return {
    examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
  }
}
