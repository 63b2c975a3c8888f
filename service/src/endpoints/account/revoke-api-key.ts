import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { endpoint } from '../endpoint.ts'
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
  params: z.object({ key_id: z.string().max(128).describe('`id` of the key, not the key itself') }),
  reply: z.undefined(),
  status: 204,
  errors: ['key_not_found'],

  async handle({ params, ...request }) {
    if (!(await signedIn(request).keyManager.revokeKey(params.key_id))) {
      throw new ApiError('key_not_found', 'This account has no working key with this id.')
    }
    return { body: undefined }
  },
})
