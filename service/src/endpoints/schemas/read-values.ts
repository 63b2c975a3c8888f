import type { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { checkValue, type Problem } from '../../domain/value-problems.ts'

const MAX_IN_MESSAGE = 3
const MAX_IN_DETAILS = 20

/** The value after the schema's checks, or `invalid_request` with every problem. */
export function readValues<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const checked = checkValue(schema, value, place)
  if ('problems' in checked) throw invalidRequest(checked.problems)
  return checked.data
}

export function invalidParameter(parameter: string, problem: string): ApiError {
  return invalidRequest([{ parameter, problem }])
}

export function invalidRequest(problems: readonly Problem[]): ApiError {
  const sentences = problems.slice(0, MAX_IN_MESSAGE).map(({ parameter, problem }) => `${parameter} ${problem}`)
  const details = { problems: problems.slice(0, MAX_IN_DETAILS) }
  return new ApiError('invalid_request', sentences.join('; '), { details })
}

/** No stored text contains any, and some stores reject them. */
export function hasControlCharacters(text: string): boolean {
  for (const letter of text) if (letter < ' ' || letter === '\u007f') return true
  return false
}
