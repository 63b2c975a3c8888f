import type { Readable } from 'node:stream'
import { ApiError } from '../domain/api-error.ts'
import type { FileObjects } from '../endpoints/stores.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { type ObjectStoreSettings, openObjectStore } from '../objects/open-object-store.ts'

/** Reads files from object storage, which is opened with the first file. */
export function openFileObjects(
  settings: ObjectStoreSettings,
  onTrouble: (error: unknown) => void,
): FileObjects & { close(): Promise<void> } {
  let opening: Promise<ObjectStore | undefined> | undefined
  return {
    async open(key, part): Promise<Readable> {
      opening ??= openObjectStore(settings)
      try {
        const store = await opening
        if (store === undefined) throw new Error('OBJECT_STORE_URL is not set')
        return await store.stream(key, part)
      } catch (error) {
        onTrouble(error)
        throw new ApiError('store_unavailable', 'The storage of files is not available. Try again in a few seconds.', {
          retryAfterSeconds: 5,
          cause: error,
        })
      }
    },
    async close(): Promise<void> {
      const store = await opening?.catch(() => undefined)
      store?.close()
    },
  }
}
