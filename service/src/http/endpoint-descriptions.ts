import { z } from 'zod'
import { mayUse, TIERS } from '../domain/tier.ts'
import { deprecationText } from '../endpoints/deprecation.ts'
import { type Endpoint, keyAccessOf } from '../endpoints/endpoint.ts'
import { formatsOf } from './read-input.ts'

/** One endpoint as a row of the documentation tables. */
export interface EndpointDescription {
  readonly method: string
  readonly path: string
  /** Begins with the deprecation, if there is one. */
  readonly summary: string
  readonly group: string
  /** `public`, `session`, `any key`, or the tiers. */
  readonly access: string
  /** Scope of the key; with the parameters that need another one. Empty when every key is accepted. */
  readonly scope: string
  /** Price of a delivered answer: a number, or `by size`. */
  readonly credits: string
  readonly formats: readonly string[]
  /** Names; required ones end with `*`. */
  readonly parameters: readonly string[]
}

export function describeEndpoint(endpoint: Endpoint): EndpointDescription {
  const { method, path, summary, group, deprecated } = endpoint
  return {
    method,
    path,
    summary: deprecated === undefined ? summary : `${deprecationText(deprecated)} ${summary}`,
    group,
    scope: scopeOf(endpoint),
    access: accessOf(endpoint),
    credits: creditsOf(endpoint),
    formats: formatsOf(endpoint),
    parameters: parametersOf(endpoint),
  }
}

function creditsOf(endpoint: Endpoint): string {
  if (endpoint.priceRule !== undefined) return 'by size'
  if (endpoint.file !== undefined && endpoint.access !== 'public') return 'by size'
  return String(keyAccessOf(endpoint)?.credits ?? 0)
}

function accessOf(endpoint: Endpoint): string {
  if (endpoint.access === 'public') return 'public'
  if (endpoint.access.by === 'session') return 'session'
  const { capability } = endpoint.access
  if (capability === undefined) return 'any key'
  return TIERS.filter((tier) => mayUse(tier, capability)).join(', ')
}

function scopeOf(endpoint: Endpoint): string {
  const { scope, scopeWith = {} } = keyAccessOf(endpoint) ?? {}
  if (scope === undefined) return ''
  return [scope, ...Object.entries(scopeWith).map(([parameter, other]) => `${other} with \`${parameter}\``)].join(', ')
}

/** Without `format`, which every GET endpoint accepts. */
function parametersOf({ query, declared }: Endpoint): string[] {
  const own = query instanceof z.ZodObject ? Object.entries(query.shape as Record<string, z.ZodType>) : []
  const names = own.map(([name, member]) => (member.safeParse(undefined).success ? name : `${name}*`))
  return declared === undefined ? names : [...names, 'form']
}
