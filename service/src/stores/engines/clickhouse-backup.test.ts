import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { backupClickHouse, restoreClickHouse } from './clickhouse-backup.ts'

function refusing(type: string, code: string, message: string): ClickHouseClient {
  const command = () => Promise.reject(new ClickHouseError({ type, code, message }))
  return { command } as unknown as ClickHouseClient
}

const PLACE = { database: 'bookreel', path: '/backups/monday' }

test.each([
  [
    'BAD_ARGUMENTS',
    '36',
    "Path '/backups/monday' is not allowed for backups, see the 'backups.allowed_path' configuration parameter",
    'ClickHouse may not use /backups/monday. Allow the folder with backups.allowed_path in the configuration of the server, or name a folder inside its backup folder, for example: --clickhouse-path monday.',
  ],
  [
    'BACKUP_NOT_FOUND',
    '599',
    "Backup File('/backups/monday') not found",
    'ClickHouse finds no backup at /backups/monday on the disk of its server. Copy the backup there, or name its place with --clickhouse-path.',
  ],
  [
    'CANNOT_RESTORE_TABLE',
    '608',
    'Cannot restore the table bookreel.gaps because it already contains some data. You can set structure_only=true. ',
    'ClickHouse failed (CANNOT_RESTORE_TABLE): Cannot restore the table bookreel.gaps because it already contains some data',
  ],
])('%s: the operator gets a sentence, not the message of the server', async (type, code, message, sentence) => {
  await expect(restoreClickHouse(refusing(type, code, message), PLACE)).rejects.toThrow(new Error(sentence))
})

test('a path is quoted, and a database that is no name is refused', async () => {
  const sent: string[] = []
  const client = {
    command: async ({ query }: { query: string }) => void sent.push(query),
    query: async () => ({ json: async () => [{ total_size: '7' }] }),
  } as unknown as ClickHouseClient
  expect(await backupClickHouse(client, { database: 'b', path: "/it's\\here" })).toBe(7)
  expect(sent[0]).toMatch(/^BACKUP DATABASE b TO File\('\/it\\'s\\\\here'\) SETTINGS id = /)
  await expect(backupClickHouse(client, { database: 'b; DROP', path: '/x' })).rejects.toThrow('not a name')
})
