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
    'From the next request on it is refused everywhere; within five seconds where a store is away, within a minute on a node that reaches none.',
  access: { by: 'session' },
  params: z.object({ key_id: z.string().max(128).describe('`id` of the list of keys, not the key') }),
  reply: z.undefined(),
  status: 204,
  errors: ['key_not_found'],

  async handle({ params, ...question }) {
    if (!(await signedIn(question).keyManager.revokeKey(params.key_id))) {
      throw new ApiError('key_not_found', 'This account has no working key with this id.')
    }
    return { body: undefined }
  },
})
