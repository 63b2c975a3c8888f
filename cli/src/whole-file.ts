import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name comes from the service and must not lead out of the folder. */
export function parquetPath(folder: string, id: string): string {
  if (!/^[\w-][\w.-]*$/.test(id))
    throw new Error(`The service sent a file with the name ${JSON.stringify(id)}, which is not allowed.`)
  return join(folder, `${id}.parquet`)
}

/** The file has its name only when it is complete. */
export function writeWhole(folder: string, path: string, bytes: Uint8Array): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${path}.part`, bytes)
  renameSync(`${path}.part`, path)
}
