import { createHash, generateKeyPairSync } from 'node:crypto'
import { fileIdOf } from '@bookreel/service/domain/day-file'
import { HOUR_MS } from '@bookreel/service/domain/finished-hour'
import type { Manifest } from '@bookreel/service/domain/manifest'
import type { Database } from '@bookreel/service/stores/engines/postgres-database'
import { Files, type NewFile } from '@bookreel/service/stores/files/files'
import { Manifests, type Signer } from '@bookreel/service/stores/files/manifests'
import { openSigner } from '@bookreel/service/wiring/open-signer'

/** A key as PEM, and its signer. */
export function newSigner(): { readonly pem: string; readonly signer: Signer } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const signer = openSigner(pem)
  if (signer === undefined) throw new Error('there is a key')
  return { pem, signer }
}

/**
 * Stores the entry of a file with this content, and returns its id. PostgreSQL gives all files of one transaction the
 * same time, so that no hour ends between them.
 */
export async function addFile(
  database: Database,
  content: Buffer,
  changed: Partial<NewFile> & Pick<NewFile, 'subject'>,
): Promise<string> {
  const dayMs = Date.parse('2026-11-01T00:00:00Z')
  const file: NewFile = {
    kind: 'series',
    dayMs,
    revision: 1,
    venue: 'polymarket',
    category: 'crypto',
    coin: 'BTC',
    timeframe: '5m',
    marketIds: [`0x${'ab'.repeat(32)}`],
    corrections: 0,
    rows: 10,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    firstAtMs: dayMs,
    lastAtMs: dayMs + HOUR_MS,
    gaps: [{ cause: 'disconnected', kind: 'missing', gaps: 1, slots: 4 }],
    ...changed,
  }
  await new Files(database).add(file)
  return fileIdOf(file.subject, file.dayMs, file.revision)
}

/** After every hour in which PostgreSQL can have stored a file. */
const AFTER_ALL_MS = Date.parse('9999-01-01T00:00:00Z')

/** Signs what was made until now, as if the hour had ended. */
export async function sealAll(database: Database, signer: Signer): Promise<Manifest[]> {
  const manifests = new Manifests(database)
  const sealed: Manifest[] = []
  for (const hourMs of await manifests.dueHours(AFTER_ALL_MS)) sealed.push(await manifests.seal(hourMs, signer))
  return sealed
}
