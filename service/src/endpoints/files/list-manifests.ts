import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { ManifestEntry, manifestEntryOf } from './manifest-entry.ts'

const MAX_NUMBER = 999_999_999

const Query = z.object({
  after: wholeNumber(0, MAX_NUMBER).default(0).describe('only entries with a higher number'),
  limit: wholeNumber(1, 1_000).default(100),
  cursor: Cursor.optional(),
})

const Position = z.tuple([z.int().max(MAX_NUMBER)])

export const listManifests = endpoint({
  method: 'GET',
  path: '/v1/manifests',
  name: 'list_manifests',
  group: 'Files',
  summary: 'List the signed manifests of files',
  description:
    'The oldest first; free of charge and without a key. Each hour in which files were made has one entry: the root of the Merkle tree of its files, the hash of the entry before, and a signature. An entry never changes; a corrected file is a new revision in a later entry. Keep the entries that you have seen (`bookreel verify` does), then a changed one is noticed.',
  access: 'public',
  query: Query,
  reply: z
    .object({
      manifests: z.array(ManifestEntry),
      keys: z
        .array(
          z.object({
            id: z.string(),
            algorithm: z.literal('Ed25519'),
            public_key: z.string().describe('32 bytes in base64url'),
          }),
        )
        .describe('public keys of all signatures'),
      next_cursor: NextCursor,
    })
    .meta({ id: 'Manifests' }),
  errors: [],
  table: {
    columns: Object.keys(ManifestEntry.shape),
    rows: ({ manifests }) => manifests,
    inRows: ['manifests'],
  },

  async handle({ query: { after, limit, cursor }, stores }) {
    const list = `manifests ${after}`
    const [position = after] = decodeCursor(cursor, list, Position) ?? []
    const [found, keys] = await Promise.all([
      stores.manifests.list({ after: position, limit: limit + 1 }),
      stores.manifests.keys(),
    ])
    const page = found.slice(0, limit)
    const last = page.at(-1)
    return {
      body: {
        manifests: page.map(manifestEntryOf),
        keys: keys.map(({ id, publicKey }) => ({ id, algorithm: 'Ed25519' as const, public_key: publicKey })),
        next_cursor: found.length <= limit || last === undefined ? null : encodeCursor(list, [last.number]),
      },
      maxAgeSeconds: 60,
      ...(page.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})
