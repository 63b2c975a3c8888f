import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'br_live_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 32
const CHECK_LENGTH = 6
const PREVIEW_LENGTH = 4
/** The largest multiple of 62 in a byte; larger bytes would make some digits more likely. */
const UNBIASED_BYTES = 248

/** Published for secret scanners, so it must not change. */
export const KEY_PATTERN = /^br_live_[0-9A-Za-z]{38}$/

const KEY_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** 190 random bits, and a checksum that detects typing errors without a database lookup. */
export function makeKey(): string {
  let secret = ''
  while (secret.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < UNBIASED_BYTES && secret.length < SECRET_LENGTH) secret += DIGITS[byte % DIGITS.length]
    }
  }
  return `${PREFIX}${secret}${checksumOf(PREFIX + secret)}`
}

export function isKey(text: string): boolean {
  return KEY_PATTERN.test(text) && checksumOf(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)
}

/** Whether it may be the id of a key; PostgreSQL fails on other texts. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text)
}

/** Lets owners tell their keys apart without revealing a key. */
export function previewOf(key: string): string {
  return `${PREFIX}…${key.slice(-PREVIEW_LENGTH)}`
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECK_LENGTH; place++) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}
