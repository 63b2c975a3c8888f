import type { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'

export interface Problem {
  readonly parameter: string
  readonly problem: string
}

/** The value after the schema's checks, or `invalid_request` with every problem. */
export function readValues<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value, { error: plainProblem })
  if (result.success) return result.data
  throw invalidRequest(
    result.error.issues.map(({ path, message }) => ({ parameter: path.join('.') || place, problem: message })),
  )
}

export function invalidParameter(parameter: string, problem: string): ApiError {
  return invalidRequest([{ parameter, problem }])
}

export function invalidRequest(problems: readonly Problem[]): ApiError {
  const [first] = problems
  return new ApiError('invalid_request', `${first?.parameter} ${first?.problem}`, { details: { problems } })
}

/** Replaces the sentences of the validator where a schema has no text of its own. */
function plainProblem(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be of the type ${issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'too_small':
    case 'too_big': {
      const [bound, limit] = issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum]
      const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' items' : ''
      return unit === ''
        ? `must be ${bound} ${limit}, got ${JSON.stringify(issue.input)}`
        : `must have ${bound} ${limit}${unit}`
    }
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys.join(', ')}`
    default:
      return undefined
  }
}

/** No stored text contains any, and some stores reject them. */
export function hasControlCharacters(text: string): boolean {
  for (const letter of text) if (letter < ' ' || letter === '\u007f') return true
  return false
}
