import type { Keys } from '../stores/accounts/keys.ts'
import type { IssuedKey } from './issue-key.ts'
import { isKeyId, makeKey, previewOf } from './key-format.ts'
import type { Peppers } from './peppers.ts'

export interface RotateDeps {
  readonly keys: Pick<Keys, 'rotate'>
  readonly peppers: Peppers
}

export interface Rotation {
  readonly accountId: string
  readonly keyId: string
  /** How long the former secret goes on working. */
  readonly overlapSeconds: number
}

/** Undefined when the account has no such working key. */
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
  return stored && { key, stored }
}
