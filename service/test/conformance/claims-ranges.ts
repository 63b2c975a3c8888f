import assert from 'node:assert/strict'
import { z } from 'zod'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { namesProblem } from './checks.ts'
import { type Check, type Claim, claim } from './claim.ts'

const EARLIER = '2026-11-15'
const LATER = '2026-11-16'

function shapeOf({ query }: Endpoint): Record<string, z.ZodType> {
  return query instanceof z.ZodObject ? (query.shape as Record<string, z.ZodType>) : {}
}

/** Every endpoint with both times. */
const RANGED = endpoints.filter((each) => 'from' in shapeOf(each) && 'to' in shapeOf(each))

/** A day where the endpoint counts days, else the start of the day. */
function timeOf(endpoint: Endpoint, day: string): string {
  return shapeOf(endpoint).from?.safeParse(day).success ? day : `${day}T00:00:00Z`
}

const isFree: Check = async (_, scene) => {
  const creditsOf = async () => (await scene.ask('own account', '/v1/api-keys/validate')).body.creditsRemaining
  const before = await creditsOf()
  for (const endpoint of RANGED) {
    const { status } = await scene.ask('own account', requestOf(endpoint, EARLIER, EARLIER))
    assert.equal(status, 400, endpoint.path)
  }
  assert.equal(await creditsOf(), before)
}

function requestOf(endpoint: Endpoint, from: string, to: string): string {
  const asked = ASKED_ENDPOINTS.find(({ path }) => path === endpoint.path)
  assert.ok(asked, `no request for ${endpoint.path}`)
  const withFrom = withParameter(asked.request, `from=${timeOf(endpoint, from)}`)
  return withParameter(withFrom, `to=${timeOf(endpoint, to)}`)
}

export const rangeClaims: readonly Claim[] = [
  claim(
    'added',
    'range.from-before-to',
    'Wherever a request has `from` and `to`, `from` must be before `to`; equal times are refused too.',
    [
      ...RANGED.flatMap((endpoint) =>
        [EARLIER, LATER].map((from) => ({
          request: requestOf(endpoint, from, EARLIER),
          as: 'scale' as const,
          status: 400,
          error: 'invalid_request' as const,
          check: namesProblem('from'),
        })),
      ),
    ],
  ),
  claim(
    'added',
    'range.refusal-is-free',
    'A request whose `from` is not before its `to` costs no credits, on every endpoint.',
    [{ request: '/v1/api-keys/validate', as: 'own account', check: isFree }],
  ),
]
