import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { entryOf, NewApiKey } from './api-key-entry.ts'
import { KeyParams, noSuchKey } from './key-request.ts'
import { signedIn } from './signed-in.ts'

const DEFAULT_OVERLAP_SECONDS = 3_600
const MAX_OVERLAP_SECONDS = 86_400

const Rotation = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_SECONDS)
      .default(DEFAULT_OVERLAP_SECONDS)
      .describe('how long the former secret goes on working; 0: it is refused within 5 seconds on every node'),
  })
  .meta({ id: 'ApiKeyRotation' })

export const rotateApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys/{key_id}/rotate',
  name: 'rotate_api_key',
  group: 'Account',
  summary: 'Give an API key another secret',
  description:
    'Id, label, limits and usage of the key stay. The new secret is shown only in this answer. The former one works until `formerSecretUntil`; then its requests are refused and its streams end, as with a revoked key. While it works, the key can be rotated again only with `overlapSeconds` 0, which ends both earlier secrets at once, so that a repeated request does not end a secret that is in use (`rotation_running`). To revoke the key ends both secrets. It works also when the account has all keys that its tier allows.',
  access: { by: 'session' },
  params: KeyParams,
  requestBody: Rotation,
  reply: NewApiKey,
  errors: ['key_not_found', 'rotation_running'],

  async handle({ params, body, stores, nowMs, ...request }) {
    const { user, keyManager } = signedIn(request)
    // Before the rotation: a failure after it would lose the secret.
    const usage = await stores.usage.byKey(user.accountId, nowMs)
    const rotated = await keyManager.rotateKey(params.key_id, body.overlapSeconds)
    if (rotated === undefined) throw noSuchKey()
    return { body: { ...entryOf(rotated.stored, usage.get(rotated.stored.id)), key: rotated.key } }
  },
})
