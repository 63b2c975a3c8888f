import type { FileProof, ManifestEntry } from './generated/api-types.ts'

const encoder = new TextEncoder()
const LEAF = 0
const NODE = 1

/** What the signature of an entry covers. */
function manifestText({ number, hour, files, root, previous }: ManifestEntry): string {
  return ['bookreel manifest 1', number, hour, files, root, previous].join('\n')
}

export async function manifestHash(entry: ManifestEntry): Promise<string> {
  return hexOf(await sha256(encoder.encode(manifestText(entry))))
}

/** The root to which the proof of a file leads, if the file has this hash. */
export async function rootOfProof(proof: FileProof, fileSha256: string, fileCount: number): Promise<string> {
  const text = ['bookreel file 1', proof.id, fileSha256, proof.bytes, proof.rows].join('\n')
  const path = [...(proof.path ?? [])]
  let hash = await sha256(joined(Uint8Array.of(LEAF), encoder.encode(text)))
  let [place, count] = [proof.leaf_index ?? 0, fileCount]
  while (count > 1) {
    // The last node of a level with an odd number has no neighbour and moves up unchanged.
    const hasNeighbour = place % 2 === 1 || place < count - 1
    const neighbour = hasNeighbour ? bytesOf(path.shift() ?? '') : undefined
    if (neighbour !== undefined) {
      const pair = place % 2 === 1 ? [neighbour, hash] : [hash, neighbour]
      hash = await sha256(joined(Uint8Array.of(NODE), ...pair))
    }
    place = Math.floor(place / 2)
    count = Math.ceil(count / 2)
  }
  return path.length === 0 ? hexOf(hash) : ''
}

/** Whether the key has signed the entry. A key or signature that can't be read has not. */
export async function isSignedBy(publicKey: string, entry: ManifestEntry): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', base64Bytes(publicKey), 'Ed25519', false, ['verify'])
    const text = encoder.encode(manifestText(entry))
    return await crypto.subtle.verify('Ed25519', key, base64Bytes(entry.signature), text)
  } catch {
    return false
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]))
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0))
}
