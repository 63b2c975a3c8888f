import { Fault } from '../../domain/api-error.ts'
import type { Desk, Member } from '../endpoint.ts'

/** Who asks, on an endpoint of a session; the route has seen to it that there is somebody. */
export function signedIn(question: { readonly member?: Member | undefined; readonly desk?: Desk | undefined }): {
  member: Member
  desk: Desk
} {
  const { member, desk } = question
  if (member === undefined || desk === undefined) throw new Fault('unauthenticated', 'Sign in first.')
  return { member, desk }
}
