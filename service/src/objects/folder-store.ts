import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type ObjectPart, type ObjectStore, ObjectStoreError, requireKey, type StoredObject } from './object-store.ts'

const PART = '.part'

/** Objects as files below a folder. A killed `put` leaves a file with the suffix `.part`, which is never listed. */
export class FolderStore implements ObjectStore {
  readonly place: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.place = `the folder ${folder}`
  }

  put(key: string, body: Buffer): Promise<void> {
    return this.#write(key, body)
  }

  async putFile(key: string, path: string): Promise<void> {
    await using source = await open(path)
    await this.#write(key, source.createReadStream({ autoClose: false }))
  }

  async #write(key: string, body: Buffer | Readable): Promise<void> {
    const path = this.#pathOf(key)
    const part = `${path}.${randomUUID()}${PART}`
    try {
      await mkdir(dirname(path), { recursive: true })
      {
        await using file = await open(part, 'wx')
        await file.writeFile(body)
        await file.sync()
      }
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      throw this.#explain(error, key)
    }
  }

  async get(key: string, part?: ObjectPart): Promise<Buffer> {
    const path = this.#pathOf(key)
    try {
      if (part === undefined) return await readFile(path)
      await using file = await open(path)
      const bytes = Buffer.alloc(part.end - part.start)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, part.start)
      return bytes.subarray(0, bytesRead)
    } catch (error) {
      throw this.#explain(error, key)
    }
  }

  async stream(key: string, part?: ObjectPart): Promise<Readable> {
    const file = await open(this.#pathOf(key)).catch((error: unknown) => {
      throw this.#explain(error, key)
    })
    return file.createReadStream(part && { start: part.start, end: part.end - 1 })
  }

  async head(key: string): Promise<StoredObject | undefined> {
    try {
      const found = await stat(this.#pathOf(key))
      return found.isFile() ? { key, bytes: found.size, changedAtMs: found.mtimeMs } : undefined
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw this.#explain(error, key)
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    yield* this.#below('', prefix)
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true }).catch((error: unknown) => {
      throw this.#explain(error, key)
    })
  }

  close(): void {}

  async *#below(folder: string, prefix: string): AsyncGenerator<StoredObject> {
    const entries = await readdir(join(this.#folder, folder), { withFileTypes: true }).catch((error: unknown) => {
      if (isAbsent(error)) return []
      throw this.#explain(error, folder)
    })
    const keys = entries.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`).toSorted(byBytes)
    for (const key of keys) {
      if (key.endsWith('/')) {
        if (key.startsWith(prefix) || prefix.startsWith(key)) yield* this.#below(key, prefix)
      } else if (key.startsWith(prefix) && !key.endsWith(PART)) {
        const found = await this.head(key)
        if (found !== undefined) yield found
      }
    }
  }

  #pathOf(key: string): string {
    requireKey(key)
    return join(this.#folder, key)
  }

  #explain(error: unknown, key: string): ObjectStoreError {
    const { code } = error as NodeJS.ErrnoException
    if (isAbsent(error)) return new ObjectStoreError('no_such_object', `${key} is not in ${this.place}.`, error)
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      return new ObjectStoreError(
        'access_denied',
        `This process may not use ${this.place} (${code}). Change the rights of the folder.`,
        error,
      )
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return new ObjectStoreError('no_space', `There is no space left for ${this.place} (${code}). Free some.`, error)
    return new ObjectStoreError('failed', `${key} in ${this.place} can not be used: ${(error as Error).message}`, error)
  }
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR'
}

/** The order in which S3 lists keys. */
function byBytes(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
