import { signedIn } from '../account/signed-in.ts'
import { endpoint } from '../endpoint.ts'
import { budgetReply, ConsoleBudgetReply } from './console-budget.ts'

export const getConsoleBudget = endpoint({
  method: 'GET',
  path: '/budget',
  name: 'get_console_budget',
  group: 'Console',
  summary: 'Get what the pages of the console may spend',
  access: { by: 'session' },
  reply: ConsoleBudgetReply,
  errors: [],

  async handle({ stores, ...request }) {
    const { user } = signedIn(request)
    const budget = await stores.consoleBudgets.find(user.accountId)
    return { body: budgetReply(budget, user.tier) }
  },
})
