import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { type ObjectPart, type ObjectStore, ObjectStoreError, requireKey, type StoredObject } from './object-store.ts'

export interface S3Place {
  readonly bucket: string
  /** Empty, or a path that ends with a slash. */
  readonly folder: string
  readonly region: string
  /** Left out for AWS itself. */
  readonly endpoint?: string | undefined
  /** Left out, the AWS client looks for them (environment, instance profile). */
  readonly keys?: { readonly id: string; readonly secret: string } | undefined
}

const CONNECT_WITHIN_MS = 5_000
const ANSWER_WITHIN_MS = 60_000
const TRIES = 3

/** Objects in one bucket of S3-compatible storage. */
export class S3Store implements ObjectStore {
  readonly place: string
  readonly #at: S3Place
  readonly #client: S3Client

  constructor(at: S3Place) {
    const { bucket, folder, region, endpoint, keys } = at
    this.#at = at
    this.place = `s3://${bucket}/${folder}${endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`}`
    this.#client = new S3Client({
      region,
      maxAttempts: TRIES,
      requestHandler: { connectionTimeout: CONNECT_WITHIN_MS, requestTimeout: ANSWER_WITHIN_MS },
      // Many S3-compatible services don't know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(keys !== undefined && { credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret } }),
    })
  }

  async put(key: string, body: Buffer): Promise<void> {
    const Key = this.#keyOf(key)
    await this.#ask(key, (Bucket) => this.#client.send(new PutObjectCommand({ Bucket, Key, Body: body })))
  }

  async putFile(key: string, path: string): Promise<void> {
    const Key = this.#keyOf(key)
    const { size: ContentLength } = await stat(path)
    await this.#ask(key, (Bucket) =>
      this.#client.send(new PutObjectCommand({ Bucket, Key, Body: createReadStream(path), ContentLength })),
    )
  }

  async get(key: string, part?: ObjectPart): Promise<Buffer> {
    const Key = this.#keyOf(key)
    const Range = rangeOf(part)
    const bytes = await this.#ask(key, async (Bucket) => {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket, Key, Range }))
      return Body?.transformToByteArray()
    })
    return Buffer.from(bytes ?? [])
  }

  async stream(key: string, part?: ObjectPart): Promise<Readable> {
    const Key = this.#keyOf(key)
    const Range = rangeOf(part)
    const { Body } = await this.#ask(key, (Bucket) => this.#client.send(new GetObjectCommand({ Bucket, Key, Range })))
    return Body instanceof Readable ? Body : Readable.from([])
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const Key = this.#keyOf(key)
    try {
      const found = await this.#ask(key, (Bucket) => this.#client.send(new HeadObjectCommand({ Bucket, Key })))
      return { key, bytes: found.ContentLength ?? 0, changedAtMs: found.LastModified?.getTime() ?? 0 }
    } catch (error) {
      if (error instanceof ObjectStoreError && error.problem === 'no_such_object') return undefined
      throw error
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const { folder } = this.#at
    for (let ContinuationToken: string | undefined, isFirst = true; isFirst || ContinuationToken; isFirst = false) {
      const page = await this.#ask(prefix, (Bucket) =>
        this.#client.send(new ListObjectsV2Command({ Bucket, Prefix: `${folder}${prefix}`, ContinuationToken })),
      )
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? [])
        yield { key: Key.slice(folder.length), bytes: Size, changedAtMs: LastModified?.getTime() ?? 0 }
      ContinuationToken = page.NextContinuationToken
    }
  }

  async delete(key: string): Promise<void> {
    const Key = this.#keyOf(key)
    await this.#ask(key, (Bucket) => this.#client.send(new DeleteObjectCommand({ Bucket, Key })))
  }

  close(): void {
    this.#client.destroy()
  }

  #keyOf(key: string): string {
    requireKey(key)
    return `${this.#at.folder}${key}`
  }

  async #ask<Answer>(key: string, send: (bucket: string) => Promise<Answer>): Promise<Answer> {
    try {
      return await send(this.#at.bucket)
    } catch (error) {
      throw this.#explain(error as Error, key)
    }
  }

  #explain(error: Error, key: string): ObjectStoreError {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
    if (error.name === 'NoSuchBucket')
      return new ObjectStoreError(
        'no_such_bucket',
        `The bucket ${this.#at.bucket} does not exist (${this.place}). Create it, or correct OBJECT_STORE_URL.`,
        error,
      )
    if (error.name === 'NoSuchKey' || error.name === 'NotFound' || status === 404)
      return new ObjectStoreError('no_such_object', `${key} is not in ${this.place}.`, error)
    if (status === 401 || status === 403 || error.name === 'CredentialsProviderError')
      return new ObjectStoreError(
        'access_denied',
        `${this.place} refused the access keys (${error.name}). Check OBJECT_STORE_KEY_ID, OBJECT_STORE_SECRET and the rights of the bucket.`,
        error,
      )
    if (status === undefined)
      return new ObjectStoreError(
        'unreachable',
        `${this.place} does not answer (${error.message || error.name}). Check OBJECT_STORE_ENDPOINT and the network.`,
        error,
      )
    return new ObjectStoreError('failed', `${this.place} answered ${status} ${error.name}: ${error.message}`, error)
  }
}

function rangeOf(part: ObjectPart | undefined): string | undefined {
  return part && `bytes=${part.start}-${part.end - 1}`
}
