import type { Answered } from '@bookreel/testbed/service/test-service'
import type { ErrorCode } from '../../src/domain/api-error.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import type { Caller, ClaimScene, Request } from './claim-scene.ts'

/** Asserts something specific about an answer; status, error code and published schema are checked for every case. */
export type Check = (answer: Answered, scene: ClaimScene) => void | Promise<void>

/** One request that shows that a claim is true. */
export interface Case extends Request {
  readonly as: Caller
  /** Path and query, with `{names}` of the scene. */
  readonly request: string
  /** Template of the path, as published; undefined for a path that is not an endpoint. */
  readonly endpoint: string | undefined
  readonly status: number
  readonly error: ErrorCode | undefined
  readonly check: Check
}

/** One fact about the interface, and the requests that show it. */
export interface Claim {
  /** Stable: other pages and experiments refer to it. */
  readonly id: string
  /** Part of the interface, or `added`. */
  readonly section: string
  /** One plain sentence. */
  readonly says: string
  readonly cases: readonly Case[]
}

/** A case as it is written: the endpoint follows from the request, and the status is 200 unless it says otherwise. */
export interface WrittenCase extends Request {
  readonly as: Caller
  readonly request: string
  readonly status?: number
  readonly error?: ErrorCode
  readonly check: Check
}

export function claim(section: string, id: string, says: string, cases: readonly WrittenCase[]): Claim {
  const completed = cases.map(
    ({ status = 200, error, ...rest }): Case => ({
      ...rest,
      status,
      error,
      endpoint: endpointOf(rest.method ?? 'GET', rest.request),
    }),
  )
  return { id, section, says, cases: completed }
}

/** The published path that serves a request; a path with fewer parameters comes first. */
export function endpointOf(method: string, request: string): string | undefined {
  const [path = ''] = request.split('?')
  const matching = endpoints.filter((endpoint) => isServedBy(endpoint.path, path))
  const paths = matching.some((endpoint) => endpoint.method === method)
    ? matching.filter((endpoint) => endpoint.method === method)
    : matching
  return paths.map((endpoint) => endpoint.path).toSorted((one, other) => parametersIn(one) - parametersIn(other))[0]
}

function isServedBy(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')]
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith('{') || part === given[index])
}

function parametersIn(path: string): number {
  return path.split('{').length - 1
}

/** A request that is served. */
export function served(as: Caller, request: string, check: Check, options: Request = {}): WrittenCase {
  return { as, request, check, ...options }
}

/** A request that is refused with that error. */
export function refused(
  as: Caller,
  request: string,
  [status, error]: readonly [number, ErrorCode],
  check: Check,
  options: Request = {},
): WrittenCase {
  return { as, request, status, error, check, ...options }
}
