import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { KeyParams, noSuchKey } from './key-request.ts'
import { signedIn } from './signed-in.ts'

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/v1/api-keys/{key_id}',
  name: 'revoke_api_key',
  group: 'Account',
  summary: 'Revoke an API key',
  description:
    'The next request with the key is refused. While a store is unavailable this may take 5 seconds, and a minute on a node that reaches no store.',
  access: { by: 'session' },
  params: KeyParams,
  reply: z.undefined(),
  status: 204,
  errors: ['key_not_found'],

  async handle({ params, ...request }) {
    if (!(await signedIn(request).keyManager.revokeKey(params.key_id))) throw noSuchKey()
    return { body: undefined }
  },
})
