import { BookreelError } from '@bookreel/sdk'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { SESSION_PATH, sessionAnswer } from './session-request.ts'
import { noteSignedIn, wasSignedIn } from './was-signed-in.ts'

interface SessionReply {
  readonly signedIn: boolean
  readonly accountId?: string
  readonly email?: string | null
  readonly name?: string | null
  readonly isOperator?: boolean
  readonly idleUntil?: string
  readonly lastsUntil?: string
}

export interface SignedIn {
  readonly state: 'in' | 'ended'
  readonly accountId: string
  /** E-mail, name or id, as far as the identity provider reports it. */
  readonly who: string
  /** May use the operator board. */
  readonly isOperator: boolean
  /** The session ends this long after the last request. */
  readonly idleMs: number
  /** The session ends then in any case, by the clock of this computer. */
  readonly lastsUntilMs: number
}

/** `off`: this service has no sign-in. `ended`: what is shown belongs to a session that is over. */
export type Session = SignedIn | { readonly state: 'out' | 'off' }

const KEY = ['session'] as const
const SHARED_MS = 2_000

export const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client }) => fetchSession(client.getQueryData<Session>(KEY)),
  // The parts of a page that start one after the other share one answer.
  staleTime: SHARED_MS,
})

async function fetchSession(previous: Session | undefined): Promise<Session> {
  try {
    const { body, headers } = await sessionAnswer<SessionReply>(SESSION_PATH)
    const found = sessionOf(body, Date.parse(headers.get('date') ?? ''), Date.now())
    noteSignedIn(found.state === 'in')
    return found.state === 'out' ? endedOr(previous, found) : found
  } catch (error) {
    if (error instanceof BookreelError && error.code === 'sign_in_not_configured') return { state: 'off' }
    throw error
  }
}

/** The clocks of server and computer may differ, so times are moved by the difference. */
export function sessionOf(reply: SessionReply, serverMs: number, nowMs: number): Session {
  const { signedIn, accountId, email, name, isOperator = false, idleUntil, lastsUntil } = reply
  if (!signedIn || accountId === undefined) return { state: 'out' }
  const atMs = Number.isNaN(serverMs) ? nowMs : serverMs
  return {
    state: 'in',
    accountId,
    who: email ?? name ?? accountId,
    isOperator,
    idleMs: Date.parse(idleUntil ?? '') - atMs,
    lastsUntilMs: Date.parse(lastsUntil ?? '') - atMs + nowMs,
  }
}

function endedOr(previous: Session | undefined, otherwise: Session): Session {
  return isSignedIn(previous) ? { ...previous, state: 'ended' } : otherwise
}

function isSignedIn(session: Session | undefined): session is SignedIn {
  return session?.state === 'in' || session?.state === 'ended'
}

/** Called after an answer with status 401. */
export function endSession(client: QueryClient): void {
  noteSignedIn(false)
  client.setQueryData<Session>(KEY, (previous) => endedOr(previous, { state: 'out' }))
}

/** Called before the browser leaves for the sign-out page. */
export function forgetSession(client: QueryClient): void {
  noteSignedIn(false)
  client.clear()
}

/** Whether a page may ask for data of an account before it is known whose. */
export async function mayAskEarly(client: QueryClient): Promise<boolean> {
  return wasSignedIn() || (await client.ensureQueryData(sessionQuery)).state === 'in'
}

export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data
}

/** Undefined unless somebody is or was signed in. */
export function useSignedIn(): SignedIn | undefined {
  const session = useSession()
  return isSignedIn(session) ? session : undefined
}

/** Address that signs in and returns to a path of this service. */
export function signInAddress(returnTo: string): string {
  return `/auth/login?return_to=${encodeURIComponent(returnTo)}`
}

/** The same for changes that need a proof of identity: the identity provider asks also a person who is signed in. */
export function signInAgainAddress(returnTo: string): string {
  return `${signInAddress(returnTo)}&again=true`
}
