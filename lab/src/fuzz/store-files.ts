import { readConfig } from '@bookreel/service/config'
import { openObjectStore } from '@bookreel/service/objects/open-object-store'
import { Files, objectKeyOf } from '@bookreel/service/stores/files/files'
import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import type { ApiService } from '../api-service.ts'

const SUBJECTS = ['polymarket-btc-5m', 'polymarket-eth-15m', 'polymarket-sol-1h']

/** Stores and signs small files of days. Returns their ids. */
export async function storeFiles({ access: { database }, environment }: ApiService): Promise<string[]> {
  const objects = await openObjectStore(readConfig(environment))
  if (objects === undefined) throw new Error('OBJECT_STORE_URL is not set')
  const ids: string[] = []
  for (const subject of SUBJECTS) {
    const content = Buffer.from(`the rows of ${subject}`)
    const id = await addFile(database, content, { subject })
    const file = await new Files(database).find(id)
    if (file === undefined) throw new Error(`${id} was not stored`)
    await objects.put(objectKeyOf(file), content)
    ids.push(id)
  }
  objects.close()
  await sealAll(database, newSigner().signer)
  return ids
}
