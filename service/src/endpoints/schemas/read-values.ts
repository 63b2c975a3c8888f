import type { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'

export interface Problem {
  readonly parameter: string
  readonly problem: string
}

/** What a schema makes of what a caller sent, or an `invalid_request` that names what is wrong with it. */
export function readValues<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalidRequest(
    result.error.issues.map(({ path, message }) => ({ parameter: path.join('.') || place, problem: message })),
  )
}

export function invalidRequest(problems: readonly Problem[]): ApiError {
  const [first] = problems
  return new ApiError('invalid_request', `${first?.parameter}: ${first?.problem}`, { details: { problems } })
}

/** Nothing that we keep has any, and not every store could even be asked. */
export function hasControlCharacters(text: string): boolean {
  for (const letter of text) if (letter < ' ' || letter === '\u007f') return true
  return false
}
