import { z } from 'zod'
import { ApiError } from '../domain/api-error.ts'
import { shown } from '../domain/value-problems.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { FORMS, type Form, inForm } from '../endpoints/forms.ts'
import { Flag } from '../endpoints/schemas/parameters.ts'
import { hasControlCharacters, invalidParameter, invalidRequest, readValues } from '../endpoints/schemas/read-values.ts'

export const FORMATS = ['json', 'csv', 'tsv', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

export interface Input {
  readonly params: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly format: Format
  readonly form: Form
  readonly isSpreadsheetSafe: boolean
}

export interface RawInput {
  readonly params: unknown
  readonly search: URLSearchParams
  readonly body: unknown
}

const SPREADSHEET_SAFE = z.object({ spreadsheet_safe: Flag })
const NO_PARAMETERS = z.object({})

/** Validates the input. Throws `invalid_request`, which names the parameter and what is allowed. */
export function readInput(endpoint: Endpoint, raw: RawInput): Input {
  refuseControlCharacters(raw)
  const form = readForm(endpoint, raw.search)
  const format = readFormat(endpoint, form, raw.search)
  const query = readSearch(endpoint, raw.search)
  return {
    params: readValues(endpoint.params ?? NO_PARAMETERS, raw.params, 'path'),
    query,
    body: endpoint.requestBody === undefined ? undefined : readValues(endpoint.requestBody, raw.body, 'body'),
    format,
    form,
    isSpreadsheetSafe: readSpreadsheetSafe(raw.search, format),
  }
}

function refuseControlCharacters({ params, search }: RawInput): void {
  const inPath = Object.values(params ?? {}).some((value) => hasControlCharacters(String(value)))
  if (inPath) throw new ApiError('not_found', 'The path must not contain control characters.')
  if (search.size === 0) return
  const parameter = [...search].find(([name, value]) => hasControlCharacters(name) || hasControlCharacters(value))?.[0]
  if (parameter !== undefined) throw invalidRequest([{ parameter, problem: 'must not contain control characters' }])
}

export function formatsOf(endpoint: Endpoint): readonly Format[] {
  if (endpoint.method !== 'GET') return ['json']
  return endpoint.parquet === undefined && endpoint.file === undefined ? ['json', 'csv', 'tsv'] : FORMATS
}

export function parameterNames(endpoint: Endpoint): string[] {
  const own = endpoint.query instanceof z.ZodObject ? Object.keys(endpoint.query.shape) : []
  return [...own, ...generalParameters(endpoint)]
}

/** Parameters that are read here for all endpoints, and not by the query schema of each. */
function generalParameters({ method, declared }: Endpoint): string[] {
  return [...(declared === undefined ? [] : ['form']), ...(method === 'GET' ? ['format', 'spreadsheet_safe'] : [])]
}

/** An endpoint with one form has no such parameter, which `readSearch` reports. */
function readForm({ declared }: Endpoint, search: URLSearchParams): Form {
  const requested = search.get('form') ?? 'described'
  if (declared === undefined) return 'described'
  const form = FORMS.find((each) => each === requested)
  if (form !== undefined) return form
  throw invalidRequest([{ parameter: 'form', problem: `must be one of ${FORMS.join(', ')}, got ${shown(requested)}` }])
}

function readFormat(endpoint: Endpoint, form: Form, search: URLSearchParams): Format {
  const allowed = formatsOf(inForm(endpoint, form))
  const requested = search.get('format') ?? 'json'
  const format = allowed.find((each) => each === requested)
  if (format !== undefined) return format
  const where = form === 'declared' ? ' with form=declared' : ''
  throw invalidRequest([
    { parameter: 'format', problem: `must be one of ${allowed.join(', ')}${where}, got ${shown(requested)}` },
  ])
}

function readSpreadsheetSafe(search: URLSearchParams, format: Format): boolean {
  const requested = search.get('spreadsheet_safe')
  if (requested === null) return false
  if (format !== 'csv' && format !== 'tsv') {
    throw invalidParameter('spreadsheet_safe', `must be used with format=csv or format=tsv, got format=${format}`)
  }
  return readValues(SPREADSHEET_SAFE, { spreadsheet_safe: requested }, 'query').spreadsheet_safe
}

function readSearch(endpoint: Endpoint, search: URLSearchParams): Input['query'] {
  if (search.size === 0) return readValues(endpoint.query ?? NO_PARAMETERS, {}, 'query')
  const allowed = parameterNames(endpoint)
  const given = [...new Set(search.keys())]
  const unknown = given.filter((name) => !allowed.includes(name))
  if (unknown.length > 0) {
    const message = `Unknown parameter: ${unknown.join(', ')}. Allowed: ${allowed.join(', ') || 'none'}.`
    throw new ApiError('invalid_request', message, {
      details: { unknown_parameters: unknown, allowed_parameters: allowed },
    })
  }
  const repeated = given.filter((name) => search.getAll(name).length > 1)
  if (repeated.length > 0) {
    throw invalidRequest(repeated.map((parameter) => ({ parameter, problem: 'must be given only once' })))
  }
  const general = generalParameters(endpoint)
  const values = Object.fromEntries([...search].filter(([name]) => !general.includes(name)))
  return readValues(endpoint.query ?? NO_PARAMETERS, values, 'query')
}
