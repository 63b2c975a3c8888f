import { ApiError } from '../domain/api-error.ts'
import { hasControlCharacters, invalidRequest } from '../endpoints/schemas/read-values.ts'
import type { Texts } from './paging.ts'

const LONGEST = 8_000

/** Arguments as text, which is what endpoints read: agents write `10` and `"10"` alike. */
export function textsOf(given: unknown, allowed: readonly string[]): Texts {
  if (given === undefined) return {}
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidRequest([{ parameter: 'arguments', problem: 'expected an object' }])
  }
  const unknown = Object.keys(given).filter((name) => !allowed.includes(name))
  if (unknown.length > 0) {
    throw new ApiError('invalid_request', 'An argument is not one of those that this tool takes.', {
      details: { unknown_arguments: unknown.slice(0, 20), allowed_arguments: allowed },
    })
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(name, value)]))
}

function textOf(parameter: string, value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return plainNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') {
    throw invalidRequest([{ parameter, problem: 'expected text, a number, true or false' }])
  }
  if (value.length > LONGEST) throw invalidRequest([{ parameter, problem: `longer than ${LONGEST} characters` }])
  if (hasControlCharacters(value)) {
    throw invalidRequest([{ parameter, problem: 'control characters are not allowed' }])
  }
  return value
}

/** Without an exponent, which no parameter reads. */
function plainNumber(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
}
