import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { isRecentProof, type Operator } from '../../domain/operator.ts'
import type { OperatorDecision } from '../../stores/accounts/operator-changes.ts'
import { signedIn } from '../account/signed-in.ts'
import type { RequestContext } from '../endpoint.ts'

/** Only for signed-in people with the claim of `OPERATOR_CLAIM`. */
export const FOR_OPERATORS = { by: 'session', isForOperators: true } as const

/** The body of a change. */
export const ReasonBody = z.strictObject({
  reason: z.string().trim().min(3).max(500).describe('why; it is stored with the change'),
})

/** Who decides. Throws `sign_in_again` when the operator has not proved who they are within the last 15 minutes. */
export function decisionOf(
  request: Pick<RequestContext, 'user' | 'keyManager' | 'nowMs'>,
  reason: string,
): OperatorDecision {
  const { user } = signedIn(request)
  requireRecentProof(user.operator, request.nowMs)
  return { operatorId: user.accountId, operatorName: user.operator.name, reason }
}

function requireRecentProof(operator: Operator | undefined, nowMs: number): asserts operator is Operator {
  if (operator !== undefined && isRecentProof(operator, nowMs)) return
  throw new ApiError(
    'sign_in_again',
    'A change needs a sign-in within the last 15 minutes. Sign in again at /auth/login?again=true, then repeat it. Nothing was changed.',
  )
}
