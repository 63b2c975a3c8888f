import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import type { TestService } from '@bookreel/testbed/service/test-service'
import { sql } from 'kysely'

const CONTENT = Buffer.from('rows')

/** Two revisions of the file of a series in one signed hour, and a second manifest; the contents are not stored. */
export async function storeSignedFile({ access }: TestService): Promise<Record<string, string>> {
  const { database } = access
  const subject = 'polymarket-btc-5m'
  const [former, file] = await database
    .transaction()
    .execute(async (one) => [
      await addFile(one, CONTENT, { subject }),
      await addFile(one, CONTENT, { subject, revision: 2, corrections: 1 }),
    ])
  await sealAll(database, newSigner().signer)
  await sql`INSERT INTO manifests (number, hour_at, file_count, root, previous, hash, key_id, signature)
    SELECT 2, hour_at + interval '1 hour', file_count, root, hash, previous, key_id, signature FROM manifests`.execute(
    database,
  )
  return { file: file ?? '', 'file.former': former ?? '', 'file.market': `0x${'ab'.repeat(32)}` }
}
