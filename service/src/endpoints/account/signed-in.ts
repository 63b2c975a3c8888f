import { ApiError } from '../../domain/api-error.ts'
import type { KeyManager, SignedInUser } from '../endpoint.ts'

/** Who asks, on an endpoint of a session; the route has seen to it that there is somebody. */
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
