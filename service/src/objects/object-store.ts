import type { Readable } from 'node:stream'

export interface StoredObject {
  readonly key: string
  readonly bytes: number
  readonly changedAtMs: number
}

/** Bytes from `start` up to, but not including, `end`. */
export interface ObjectPart {
  readonly start: number
  readonly end: number
}

/** Files by key, in S3-compatible storage or in a folder. Keys are paths such as `raw/2027-01-31/05/first.brz`. */
export interface ObjectStore {
  /** Where the objects are, for messages; never contains a secret. */
  readonly place: string
  /** Stores the whole object or nothing; an object with the same key is replaced. */
  put(key: string, body: Buffer): Promise<void>
  /** Like `put`, with the content of a file, which is never in memory as a whole. */
  putFile(key: string, path: string): Promise<void>
  get(key: string, part?: ObjectPart): Promise<Buffer>
  stream(key: string, part?: ObjectPart): Promise<Readable>
  /** Undefined when there is no such object. */
  head(key: string): Promise<StoredObject | undefined>
  /** All objects whose key starts with the prefix, sorted by key. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Deleting an object that does not exist is not an error. */
  delete(key: string): Promise<void>
  close(): void
}

export type ObjectStoreProblem =
  | 'no_such_object'
  | 'no_such_bucket'
  | 'access_denied'
  | 'unreachable'
  | 'no_space'
  | 'failed'

/** The message says what to do. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
  readonly problem: ObjectStoreProblem

  constructor(problem: ObjectStoreProblem, message: string, cause?: unknown) {
    super(message, { cause })
    this.problem = problem
  }
}

const LONGEST_KEY = 1_000
const KEY = /^[\w.=-]+(\/[\w.=-]+)*$/

/** Keys are used as paths, so they can't leave their folder. */
export function requireKey(key: string): void {
  const isPath = key.length <= LONGEST_KEY && KEY.test(key)
  if (isPath && !key.split('/').some((part) => part === '.' || part === '..')) return
  throw new TypeError(`${JSON.stringify(key)} is not an object key: use letters, digits, "_", "-", ".", "=" and "/"`)
}
