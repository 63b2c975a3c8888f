import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Peppers } from './peppers.ts'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
/** Browsers keep no longer cookie. */
const MAX_SEALED_LENGTH = 4_096

/** Encrypts and authenticates texts that a browser keeps for us. The keys follow from the peppers, so they rotate too. */
export class Seal {
  /** Newest first. */
  readonly #keys: readonly Buffer[]

  constructor(peppers: Peppers, purpose: string) {
    this.#keys = peppers.derive(purpose)
  }

  seal(text: string): string {
    const [newest] = this.#keys
    if (newest === undefined) throw new Error('no pepper is configured')
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, newest, iv)
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64url')
  }

  /** Undefined when the text was not sealed here or was changed. */
  open(sealed: string): string | undefined {
    if (sealed.length > MAX_SEALED_LENGTH) return undefined
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
    return this.#keys.map((key) => openWith(key, bytes)).find((text) => text !== undefined)
  }
}

function openWith(key: Buffer, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
