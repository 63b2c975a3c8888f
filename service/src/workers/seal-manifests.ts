import type { Manifest } from '../domain/manifest.ts'
import type { Manifests, Signer } from '../stores/files/manifests.ts'

export interface SealDeps {
  readonly manifests: Pick<Manifests, 'dueHours' | 'seal'>
  readonly signer: Signer
  readonly nowMs: () => number
  readonly onSealed: (entry: Manifest) => void
}

/** Adds an entry to the chain for each ended hour in which files were made. */
export async function sealManifests(
  { manifests, signer, nowMs, onSealed }: SealDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const hourMs of await manifests.dueHours(nowMs())) {
    signal.throwIfAborted()
    onSealed(await manifests.seal(hourMs, signer))
  }
}
