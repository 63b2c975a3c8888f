import { z } from 'zod'
import { fileText } from '../../domain/manifest.ts'
import { leafHash } from '../../domain/merkle.ts'
import { endpoint } from '../endpoint.ts'
import { FileParams, findFile } from './file-entry.ts'
import { ManifestEntry, manifestEntryOf } from './manifest-entry.ts'

export const getFileProof = endpoint({
  method: 'GET',
  path: '/v1/files/{id}/proof',
  name: 'get_file_proof',
  group: 'Files',
  summary: 'Get the proof that a file belongs to a signed manifest',
  description:
    'Free of charge and without a key. The leaf is the hash of the id, the SHA-256, the bytes and the rows of the file; with the hashes of `path` it gives the root of the manifest. `bookreel verify` and the SDK check it.',
  access: 'public',
  params: FileParams,
  reply: z
    .object({
      id: z.string(),
      sha256: z.string(),
      bytes: z.int(),
      rows: z.int(),
      leaf: z.string(),
      leaf_index: z.int().nullable().describe('place of the leaf; null while there is no manifest'),
      path: z
        .array(z.string())
        .nullable()
        .describe('hashes from the leaf to the root; null while there is no manifest'),
      manifest: ManifestEntry.nullable().describe('null until the hour in which the file was made is signed'),
    })
    .meta({ id: 'FileProof' }),
  errors: ['file_not_found'],

  async handle({ params, stores }) {
    const { id, sha256, bytes, rows } = await findFile(stores, params.id)
    const proof = await stores.manifests.proofOf(id)
    return {
      body: {
        id,
        sha256,
        bytes,
        rows,
        leaf: leafHash(fileText({ id, sha256, bytes, rows })).toString('hex'),
        leaf_index: proof?.leafIndex ?? null,
        path: proof === undefined ? null : [...proof.path],
        manifest: proof === undefined ? null : manifestEntryOf(proof.manifest),
      },
      maxAgeSeconds: 60,
    }
  },
})
