import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import { TestService } from '@bookreel/testbed/service/test-service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'

let service: TestService

beforeAll(async () => {
  service = await TestService.start()
  await addFile(service.access.database, Buffer.from('rows'), { subject: 'signed' })
  await sealAll(service.access.database, newSigner().signer)
}, 360_000)
afterAll(() => service?.[Symbol.asyncDispose]())

test('the entry of a file is never changed or deleted', async () => {
  const { database } = service.access
  await expect(sql`UPDATE files SET row_count = 1`.execute(database)).rejects.toThrow('entries of files never change')
  await expect(sql`DELETE FROM files`.execute(database)).rejects.toThrow('never change')
})

test('a manifest that does not follow the last one is refused', async () => {
  const statement = `INSERT INTO manifests (number, hour_at, file_count, root, previous, hash, key_id, signature)
    SELECT 2, now(), 1, root, repeat('1', 64), repeat('2', 64), key_id, '' FROM manifests`
  await expect(sql.raw(statement).execute(service.access.database)).rejects.toThrow('an entry follows the last one')
})
