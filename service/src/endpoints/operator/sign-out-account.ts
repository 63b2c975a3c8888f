import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AccountPath, noSuchAccount } from './get-account.ts'
import { decisionOf, FOR_OPERATORS, ReasonBody } from './operator-of.ts'

export const signOutAccount = endpoint({
  method: 'POST',
  path: '/operator/accounts/{account}/sign-out',
  name: 'sign_out_operator_account',
  group: 'Console',
  summary: 'End all sessions of an account',
  description:
    'Its API keys go on working. It is an event of the account, with the name of the operator and the reason.',
  access: FOR_OPERATORS,
  params: AccountPath,
  requestBody: ReasonBody,
  reply: z.object({ sessions_ended: z.int() }),
  errors: ['sign_in_again', 'account_not_found', 'store_unavailable'],

  async handle({ params: { account: id }, body, stores, ...request }) {
    const decision = decisionOf(request, body.reason)
    if ((await stores.accounts.find(id)) === undefined) throw noSuchAccount()
    return { body: { sessions_ended: await stores.operatorChanges.signOut(id, decision) } }
  },
})
