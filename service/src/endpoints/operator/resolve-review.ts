import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { endpoint } from '../endpoint.ts'
import { decisionOf, FOR_OPERATORS, ReasonBody } from './operator-of.ts'

export const resolveReview = endpoint({
  method: 'POST',
  path: '/operator/reviews/{review}/resolve',
  name: 'resolve_operator_review',
  group: 'Console',
  summary: 'Close a payment review',
  description: 'It adds no credits. It is an event of the account, with the name of the operator and the reason.',
  access: FOR_OPERATORS,
  params: z.object({ review: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
  requestBody: ReasonBody,
  reply: z.object({ id: z.int() }),
  errors: ['sign_in_again', 'review_not_found'],

  async handle({ params, body, stores, ...request }) {
    const isResolved = await stores.operatorChanges.resolveReview(params.review, decisionOf(request, body.reason))
    if (!isResolved) throw new ApiError('review_not_found', `No open review has the number ${params.review}.`)
    return { body: { id: params.review } }
  },
})
