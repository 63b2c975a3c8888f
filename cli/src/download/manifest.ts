import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GapEntry, HourReport } from '@bookreel/sdk'

/** One file of the folder. The entry is the same whenever, and in however many attempts, the file was downloaded. */
export interface ManifestEntry {
  readonly market: string
  readonly slug: string
  readonly hour: string
  /** 1, or more when the rows of the hour were corrected. */
  readonly revision: number
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  /** Token snapshots, two for each slot. */
  readonly rows: number
  readonly gaps: readonly Pick<GapEntry, 'from' | 'to' | 'slots' | 'kind' | 'cause'>[]
  /** Price of the hour, also when it was already paid for. */
  readonly credits: number
}

const MANIFEST = 'manifest.json'

export function entryOf(file: string, bytes: Uint8Array, report: HourReport): ManifestEntry {
  return {
    market: report.market_id,
    slug: report.slug,
    hour: report.hour,
    revision: report.revision,
    file,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: report.rows,
    gaps: report.gaps.map(({ from, to, slots, kind, cause }) => ({ from, to, slots, kind, cause })),
    credits: report.credits,
  }
}

/** Files of earlier downloads into the same folder stay listed. */
export function writeManifest(folder: string, entries: readonly ManifestEntry[]): string {
  const path = join(folder, MANIFEST)
  const files = new Map<string, ManifestEntry>()
  for (const entry of existingEntries(path)) if (existsSync(join(folder, entry.file))) files.set(entry.file, entry)
  for (const entry of entries) files.set(entry.file, entry)
  const sorted = [...files.values()].toSorted((one, other) => (one.file < other.file ? -1 : 1))
  writeFileSync(`${path}.new`, `${JSON.stringify({ files: sorted }, undefined, 2)}\n`)
  renameSync(`${path}.new`, path)
  return path
}

function existingEntries(path: string): readonly ManifestEntry[] {
  if (!existsSync(path)) return []
  try {
    const { files } = JSON.parse(readFileSync(path, 'utf8')) as { files?: unknown }
    if (Array.isArray(files) && files.every((each) => typeof each?.file === 'string')) return files
  } catch {}
  throw new Error(`${path} is not a Bookreel manifest. Move the file away, or use another folder.`)
}
