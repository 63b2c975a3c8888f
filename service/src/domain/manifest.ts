import { createHash } from 'node:crypto'

/** What a leaf says about a file. */
export interface FileFacts {
  readonly id: string
  readonly sha256: string
  readonly bytes: number
  readonly rows: number
}

/** What the signature of an entry covers. */
export interface SealedHour {
  /** 1 for the first entry. */
  readonly number: number
  readonly hourMs: number
  readonly files: number
  /** Hex. */
  readonly root: string
  /** Hash of the entry before. */
  readonly previous: string
}

export interface Manifest extends SealedHour {
  readonly hash: string
  readonly keyId: string
  /** Base64url. */
  readonly signature: string
  readonly sealedAtMs: number
}

/** `previous` of the first entry. */
export const NO_ENTRY = '0'.repeat(64)

/** Lines instead of JSON, which every language writes differently. */
export function fileText({ id, sha256, bytes, rows }: FileFacts): string {
  return ['bookreel file 1', id, sha256, bytes, rows].join('\n')
}

export function manifestText({ number, hourMs, files, root, previous }: SealedHour): string {
  return ['bookreel manifest 1', number, new Date(hourMs).toISOString(), files, root, previous].join('\n')
}

export function manifestHash(entry: SealedHour): string {
  return createHash('sha256').update(manifestText(entry)).digest('hex')
}
