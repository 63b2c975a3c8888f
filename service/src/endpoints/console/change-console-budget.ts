import { z } from 'zod'
import { CreditLimit } from '../account/key-request.ts'
import { signedIn } from '../account/signed-in.ts'
import { endpoint } from '../endpoint.ts'
import { budgetReply, ConsoleBudgetReply } from './console-budget.ts'

export const changeConsoleBudget = endpoint({
  method: 'PATCH',
  path: '/budget',
  name: 'change_console_budget',
  group: 'Console',
  summary: 'Change what the pages of the console may spend',
  access: { by: 'session' },
  requestBody: z.strictObject({
    creditLimit: CreditLimit.nullable().describe('credits per calendar month; null: no limit'),
  }),
  reply: ConsoleBudgetReply,
  errors: [],

  async handle({ body, stores, ...request }) {
    const { user } = signedIn(request)
    const budget = await stores.consoleBudgets.limit(user.accountId, body.creditLimit)
    return { body: budgetReply(budget, user.tier) }
  },
})
