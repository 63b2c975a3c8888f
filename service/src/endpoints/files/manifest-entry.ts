import { z } from 'zod'
import type { Manifest } from '../../domain/manifest.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

export const ManifestEntry = z
  .object({
    number: z.int().describe('1 for the first entry'),
    hour: Instant.describe('the hour in which its files were made'),
    files: z.int().describe('number of files'),
    root: z.string().describe('root of the Merkle tree of the files, sorted by id'),
    previous: z.string().describe('hash of the entry before; zeros for the first one'),
    hash: z.string().describe('hash of this entry'),
    key_id: z.string(),
    signature: z.string().describe('Ed25519 signature of the entry, in base64url'),
    sealed_at: Instant,
  })
  .meta({ id: 'ManifestEntry' })

export function manifestEntryOf(entry: Manifest): z.input<typeof ManifestEntry> {
  return {
    number: entry.number,
    hour: instantOf(entry.hourMs),
    files: entry.files,
    root: entry.root,
    previous: entry.previous,
    hash: entry.hash,
    key_id: entry.keyId,
    signature: entry.signature,
    sealed_at: instantOf(entry.sealedAtMs),
  }
}
