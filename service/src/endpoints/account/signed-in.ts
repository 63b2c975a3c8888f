import { ApiError } from '../../domain/api-error.ts'
import type { KeyManager, SignedInUser } from '../endpoint.ts'

/** The user of a session endpoint; the pipeline has already checked that there is one. */
export function signedIn(request: {
  readonly user?: SignedInUser | undefined
  readonly keyManager?: KeyManager | undefined
}): {
  user: SignedInUser
  keyManager: KeyManager
} {
  const { user, keyManager } = request
  if (user === undefined || keyManager === undefined) throw new ApiError('unauthenticated', 'Sign in first.')
  return { user, keyManager }
}
