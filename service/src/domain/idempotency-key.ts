/** Published as `maxLength` of the header. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255

/** Undefined when the key can be used. */
export function idempotencyKeyProblem(key: string): string | undefined {
  if (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return undefined
  return `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters, got ${key.length}`
}
