import { ApiError } from '../domain/api-error.ts'
import type { Keys } from '../stores/accounts/keys.ts'
import type { IssuedKey } from './issue-key.ts'
import { isKeyId, makeKey, previewOf } from './key-format.ts'
import type { Peppers } from './peppers.ts'

export interface RotateDeps {
  readonly keys: Pick<Keys, 'rotate' | 'formerSecretUntil'>
  readonly peppers: Peppers
}

export interface Rotation {
  readonly accountId: string
  readonly keyId: string
  /** How long the former secret goes on working. */
  readonly overlapSeconds: number
}

/** Undefined when the account has no such working key. Throws `rotation_running` while a former secret works, unless the overlap is 0. */
export async function rotateKey(
  { keys, peppers }: RotateDeps,
  { accountId, keyId, overlapSeconds }: Rotation,
): Promise<IssuedKey | undefined> {
  if (!isKeyId(keyId)) return undefined
  const key = makeKey()
  const stored = await keys.rotate(accountId, keyId, {
    ...peppers.hash(key),
    preview: previewOf(key),
    overlapSeconds,
  })
  if (stored !== undefined) return { key, stored }
  const untilMs = await keys.formerSecretUntil(accountId, keyId)
  if (untilMs !== undefined) throw rotationRunning(untilMs)
  return undefined
}

/** A client that has lost an answer repeats its request, and must not end the only secret that it has. */
function rotationRunning(untilMs: number): ApiError {
  const until = new Date(untilMs).toISOString()
  return new ApiError(
    'rotation_running',
    `The former secret of this key works until ${until}. Use the newest secret; if it is lost, rotate again after that time, or with overlapSeconds 0, which ends both secrets at once.`,
    { details: { former_secret_until: until } },
  )
}
