import { WebSocket } from 'ws'
import { USER_AGENT } from '../venues/user-agent.ts'

const ANSWER_WITHIN_MS = 10_000

/** An address does not answer at all, so nothing can be checked. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  constructor(setting: string, url: string, reason: string) {
    super(
      `${url} does not answer (${reason}). Check that this machine has access to the internet and that no firewall blocks the address; some countries block these venues. To check another address, set ${setting}.`,
    )
  }
}

/** Any HTTP status is an answer. */
export async function requireHttp(setting: string, url: string): Promise<void> {
  try {
    const headers = { 'user-agent': USER_AGENT }
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    await answer.body?.cancel()
  } catch (error) {
    throw new Unreachable(setting, url, reasonOf(error))
  }
}

export async function requireSocket(setting: string, url: string): Promise<void> {
  const problem = await socketProblem(url)
  if (problem !== undefined) throw new Unreachable(setting, url, problem)
}

/** Why a socket can't be opened; undefined when it can. */
export function socketProblem(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { handshakeTimeout: ANSWER_WITHIN_MS, headers: { 'user-agent': USER_AGENT } })
    socket.once('open', () => {
      socket.terminate()
      resolve(undefined)
    })
    socket.once('error', (error) => resolve(reasonOf(error)))
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return error.message || code || error.name
}
