import { BookreelError } from './bookreel-error.ts'
import type { FileProof, ManifestEntry } from './generated/api-types.ts'
import type { FilesResource } from './generated/resources.ts'
import { isSignedBy, manifestHash, rootOfProof } from './manifest-hashes.ts'

/** What an earlier check has seen; keep it, so that a rewritten entry is noticed. */
export interface KnownManifests {
  /** Public keys that may sign, in base64url. */
  readonly keys: readonly string[]
  /** The hash of every entry, the first one first. */
  readonly hashes: readonly string[]
}

/**
 * `changed_file`: other bytes than the signed ones. `missing_file`: the service has no such file. `rewritten_hour`: an
 * entry differs from what was seen before, or is gone. `forged_root`: an entry or a proof without a valid signature.
 * `not_signed_yet`: the hour in which the file was made has no entry yet.
 */
export type VerificationCode = 'changed_file' | 'missing_file' | 'rewritten_hour' | 'forged_root' | 'not_signed_yet'

export interface VerificationProblem {
  readonly code: VerificationCode
  /** What is wrong, and what to do. */
  readonly message: string
  /** Number of the manifest entry, where there is one. */
  readonly entry?: number
}

export interface VerifiedChain {
  /** Empty when every entry is signed, follows the one before and is the same as in earlier checks. */
  readonly problems: readonly VerificationProblem[]
  /** For the next check; without the entries that have a problem. */
  readonly known: KnownManifests
  readonly entries: readonly ManifestEntry[]
}

export interface ChainOptions {
  /** From an earlier check. Without it, the keys that the service shows now are trusted from now on. */
  readonly known?: KnownManifests | undefined
  /** A key to trust, in base64url, beside those of earlier checks; without earlier ones only this key counts. */
  readonly publicKey?: string | undefined
}

type ManifestReads = Pick<FilesResource, 'manifestsPages'>

/** More than twenty years of hours. A service that sends more, or pages without entries, would never end. */
const MOST_ENTRIES = 200_000

/** Reads all signed manifests and checks hashes, signatures and what was seen before. */
export async function verifyManifests(
  files: ManifestReads,
  { known, publicKey }: ChainOptions = {},
): Promise<VerifiedChain> {
  const { entries, shownKeys } = await readChain(files)
  const earlier = known?.keys ?? []
  const given = publicKey === undefined || earlier.includes(publicKey) ? [] : [publicKey]
  const keys = earlier.length + given.length > 0 ? [...earlier, ...given] : [...shownKeys]
  const problems: VerificationProblem[] = []
  const hashes: string[] = []
  let previous = '0'.repeat(64)
  for (const [index, entry] of entries.entries()) {
    const hash = await manifestHash(entry)
    const problem = await problemOf(entry, { hash, previous, number: index + 1, seen: known?.hashes[index], keys })
    if (problem !== undefined) problems.push(problem)
    hashes.push(hash)
    previous = hash
  }
  const seen = known?.hashes.length ?? 0
  if (entries.length < seen)
    problems.push({
      code: 'rewritten_hour',
      message: `Entries ${entries.length + 1} to ${seen} were seen before and are gone. Ask the operator why.`,
      entry: entries.length + 1,
    })
  return { problems, known: { keys, hashes: problems.length === 0 ? hashes : (known?.hashes ?? []) }, entries }
}

async function readChain(files: ManifestReads) {
  const entries: ManifestEntry[] = []
  const shownKeys = new Set<string>()
  for await (const page of files.manifestsPages()) {
    if (entries.length + page.manifests.length > MOST_ENTRIES || (page.manifests.length === 0 && page.next_cursor)) {
      const message = `The service sends manifests without end (${entries.length} so far). Check its address, or ask the operator.`
      throw new BookreelError('unexpected_answer', message)
    }
    entries.push(...page.manifests)
    for (const key of page.keys) shownKeys.add(key.public_key)
  }
  return { entries, shownKeys }
}

interface Expected {
  readonly hash: string
  readonly previous: string
  readonly number: number
  readonly seen: string | undefined
  readonly keys: readonly string[]
}

async function problemOf(
  entry: ManifestEntry,
  { hash, previous, number, seen, keys }: Expected,
): Promise<VerificationProblem | undefined> {
  const of = `Entry ${number} (${entry.hour})`
  if (seen !== undefined && seen !== hash) {
    const message = `${of} is not the one that was seen before: the hour was rewritten. Ask the operator why.`
    return { code: 'rewritten_hour', message, entry: number }
  }
  if (entry.number !== number || entry.previous !== previous || entry.hash !== hash) {
    const message = `${of} does not follow the entry before it: an hour was rewritten or left out. Ask the operator why.`
    return { code: 'rewritten_hour', message, entry: number }
  }
  // Its signature was checked when it was seen; the key may have been replaced since.
  if (seen === hash) return undefined
  const signed = await Promise.all(keys.map((key) => isSignedBy(key, entry)))
  if (signed.includes(true)) return undefined
  const message = `${of} has no valid signature of a trusted key, so its root may be forged. If the operator has announced a new key, pass it.`
  return { code: 'forged_root', message, entry: number }
}

/** Checks that a file with this hash is in a verified chain; undefined when it is. */
export async function verifyFile(
  files: Pick<FilesResource, 'proof' | 'manifestsPages'>,
  { id, sha256 }: { readonly id: string; readonly sha256: string },
  chain: VerifiedChain,
): Promise<VerificationProblem | undefined> {
  const proof = await files.proof(id).catch((error: unknown) => {
    if (error instanceof BookreelError && error.code === 'file_not_found') return undefined
    throw error
  })
  if (proof === undefined) {
    const message = `The service has no file ${id}. Check the name of the file; if it was downloaded under it, the file was removed.`
    return { code: 'missing_file', message }
  }
  if (proof.id !== id) {
    const message = `The service sent the proof of another file than ${id}, so it is forged. Ask the operator why.`
    return { code: 'forged_root', message }
  }
  // Its hour may have been signed after the chain was read, so the chain is read on before anything is called forged.
  return problemOfProof(proof, sha256, await chainWith(files, proof.manifest?.number, chain))
}

/** Chains that were read on, by the chain that the caller has: further files need not read them once more. */
const readOn = new WeakMap<VerifiedChain, VerifiedChain>()

async function chainWith(
  files: ManifestReads,
  entry: number | undefined,
  chain: VerifiedChain,
): Promise<VerifiedChain> {
  const newest = readOn.get(chain) ?? chain
  if (!Number.isInteger(entry) || (entry ?? 0) <= newest.entries.length) return newest
  const longer = await verifyManifests(files, { known: chain.known })
  readOn.set(chain, longer)
  return longer
}

async function problemOfProof(
  proof: FileProof,
  sha256: string,
  { entries, problems }: VerifiedChain,
): Promise<VerificationProblem | undefined> {
  const number = proof.manifest?.number
  if (number === undefined)
    return { code: 'not_signed_yet', message: 'The hour in which it was made is not signed yet. Try again in an hour.' }
  const entry = Number.isInteger(number) ? entries[number - 1] : undefined
  const ofEntry = problems.find((problem) => problem.entry === number)
  if (ofEntry !== undefined) return ofEntry
  const root = entry && (await rootOfProof(proof, proof.sha256, entry.files))
  if (entry === undefined || root !== entry.root) {
    const message = `The proof of ${proof.id} does not lead to the signed root of entry ${number}, so it is forged. Ask the operator why.`
    return { code: 'forged_root', message, entry: number }
  }
  if (proof.sha256 === sha256) return undefined
  const message = `Its SHA-256 is ${sha256}, but ${proof.sha256} was signed: bytes were changed or are missing. Download it again.`
  return { code: 'changed_file', message, entry: number }
}
