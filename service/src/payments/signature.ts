import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether the HMAC in hex matches any text with any secret. All are tried, so that the time reveals nothing. */
export function isSignedWith(
  algorithm: 'sha256' | 'sha512',
  secrets: readonly string[],
  texts: readonly (string | Buffer)[],
  givenHex: string,
): boolean {
  const given = /^[0-9a-f]+$/i.test(givenHex) ? Buffer.from(givenHex, 'hex') : Buffer.alloc(0)
  let isValid = false
  for (const secret of secrets) {
    for (const text of texts) {
      const digest = createHmac(algorithm, secret).update(text).digest()
      // `timingSafeEqual` throws for different lengths.
      if (digest.length === given.length && timingSafeEqual(digest, given)) isValid = true
    }
  }
  return isValid
}
