/** JetStream error code of a key that is at another revision, which means that another process holds it. */
const WRONG_LAST_SEQUENCE = 10_071

export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === WRONG_LAST_SEQUENCE
}
