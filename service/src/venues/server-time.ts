import { USER_AGENT } from './user-agent.ts'

const ANSWER_WITHIN_MS = 5_000

/** The time in the `Date` header of any answer, exact to a second; undefined when the server does not answer. */
export async function serverTimeMs(url: string): Promise<number | undefined> {
  try {
    const headers = { 'user-agent': USER_AGENT }
    const answer = await fetch(url, { method: 'HEAD', headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    const timeMs = Date.parse(answer.headers.get('date') ?? '')
    return Number.isNaN(timeMs) ? undefined : timeMs
  } catch {
    return undefined
  }
}
