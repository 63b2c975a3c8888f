import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { endpoints } from '../../src/endpoints/index.ts'

/** The endpoint that serves a request, or one with its path when no endpoint has the method; fewer parameters come first. */
export function endpointOf(method: string, request: string): Endpoint | undefined {
  const [path = ''] = request.split('?')
  const matching = endpoints.filter((endpoint) => isServedBy(endpoint.path, path))
  const ofMethod = matching.filter((endpoint) => endpoint.method === method)
  const found = ofMethod.length > 0 ? ofMethod : matching
  return found.toSorted((one, other) => parametersIn(one.path) - parametersIn(other.path))[0]
}

function isServedBy(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')]
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith('{') || part === given[index])
}

function parametersIn(path: string): number {
  return path.split('{').length - 1
}
