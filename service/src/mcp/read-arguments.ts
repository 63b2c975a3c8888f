import { ApiError } from '../domain/api-error.ts'
import { shown } from '../domain/value-problems.ts'
import { hasControlCharacters, invalidRequest } from '../endpoints/schemas/read-values.ts'
import type { Texts } from './paging.ts'

const MAX_LENGTH = 8_000

/** Converts arguments to text, because endpoints read text and agents send both `10` and `"10"`. */
export function textsOf(given: unknown, allowed: readonly string[]): Texts {
  if (given === undefined) return {}
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidRequest([{ parameter: 'arguments', problem: `must be an object, got ${shown(given)}` }])
  }
  const unknown = Object.keys(given).filter((name) => !allowed.includes(name))
  if (unknown.length > 0) {
    const [name = ''] = unknown
    const named = /^\w{1,40}$/.test(name) ? ` ${name}` : ''
    const rule = allowed.length === 0 ? 'This tool has no arguments' : `Allowed: ${allowed.join(', ')}`
    throw new ApiError('invalid_request', `Unknown argument${named}. ${rule}.`, {
      details: { unknown_arguments: unknown.slice(0, 20), allowed_arguments: allowed },
    })
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(name, value)]))
}

function textOf(parameter: string, value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return plainNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') {
    throw invalidRequest([{ parameter, problem: `must be text, a number, true or false, got ${shown(value)}` }])
  }
  if (value.length > MAX_LENGTH)
    throw invalidRequest([{ parameter, problem: `must have at most ${MAX_LENGTH} characters, got ${value.length}` }])
  if (hasControlCharacters(value)) {
    throw invalidRequest([{ parameter, problem: 'must not contain control characters' }])
  }
  return value
}

/** Without an exponent, which parameters do not accept. */
function plainNumber(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
}
