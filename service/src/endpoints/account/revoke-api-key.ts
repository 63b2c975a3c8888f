import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { KeyParams, noSuchKey } from './key-request.ts'
import { signedIn } from './signed-in.ts'

/** A node that reaches no store believes what it knew for this long. */
const MOST_SECONDS = 60

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/v1/api-keys/{key_id}',
  name: 'revoke_api_key',
  group: 'Account',
  summary: 'Revoke an API key',
  description:
    'The next request with the key is refused. While a store is unavailable this may take 5 seconds, and a minute on a node that reaches no store; `X-Revoked-Within-Seconds` is 0, or 60 when a store could not be told.',
  access: { by: 'session' },
  params: KeyParams,
  reply: z.undefined(),
  status: 204,
  errors: ['key_not_found'],

  async handle({ params, ...request }) {
    const revoked = await signedIn(request).keyManager.revokeKey(params.key_id)
    if (revoked === undefined) throw noSuchKey()
    return { body: undefined, aside: { revokedWithinSeconds: revoked.isInRedis ? 0 : MOST_SECONDS } }
  },
})
