import { fileURLToPath } from 'node:url'
import { FolderStore } from './folder-store.ts'
import type { ObjectStore } from './object-store.ts'

export interface ObjectStoreSettings {
  readonly OBJECT_STORE_URL?: string | undefined
  readonly OBJECT_STORE_ENDPOINT?: string | undefined
  readonly OBJECT_STORE_REGION: string
  readonly OBJECT_STORE_KEY_ID?: string | undefined
  readonly OBJECT_STORE_SECRET?: string | undefined
}

/** The configured storage, or undefined when OBJECT_STORE_URL is not set. */
export async function openObjectStore(settings: ObjectStoreSettings): Promise<ObjectStore | undefined> {
  const { OBJECT_STORE_URL, OBJECT_STORE_KEY_ID: id, OBJECT_STORE_SECRET: secret } = settings
  if (OBJECT_STORE_URL === undefined) return undefined
  if ((id === undefined) !== (secret === undefined))
    throw new Error('OBJECT_STORE_KEY_ID and OBJECT_STORE_SECRET belong together. Set both, or none of them.')
  const url = new URL(OBJECT_STORE_URL)
  if (url.protocol === 'file:') return new FolderStore(fileURLToPath(url))
  // Loading the client takes time that most processes need not spend.
  const { S3Store } = await import('./s3-store.ts')
  const folder = url.pathname.replace(/^\/+|\/+$/g, '')
  return new S3Store({
    bucket: url.hostname,
    folder: folder === '' ? '' : `${folder}/`,
    region: settings.OBJECT_STORE_REGION,
    endpoint: settings.OBJECT_STORE_ENDPOINT,
    keys: id === undefined || secret === undefined ? undefined : { id, secret },
  })
}
