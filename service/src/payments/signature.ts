import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether a digest in hex is that of one of the texts under one of the secrets. All are tried, whichever fits. */
export function isSignedWith(
  algorithm: 'sha256' | 'sha512',
  secrets: readonly string[],
  texts: readonly (string | Buffer)[],
  givenHex: string,
): boolean {
  const given = /^[0-9a-f]+$/i.test(givenHex) ? Buffer.from(givenHex, 'hex') : Buffer.alloc(0)
  let isGood = false
  for (const secret of secrets) {
    for (const text of texts) {
      const digest = createHmac(algorithm, secret).update(text).digest()
      // Of different lengths they can't be compared, and are not the same.
      if (digest.length === given.length && timingSafeEqual(digest, given)) isGood = true
    }
  }
  return isGood
}
