import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const FILE = 'backup.json'

const ManifestSchema = z.object({
  /** Version of the program that wrote the backup. */
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  at: z.string(),
  /** Folder on the disk of the ClickHouse server; absent when it is in the folder of the backup. */
  clickhousePath: z.string().optional(),
})

export type BackupManifest = z.infer<typeof ManifestSchema>

export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  await writeFile(join(folder, FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
}

/** Throws when the folder has no complete backup, or one of a newer version. */
export async function readManifest(folder: string, version: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => {
    throw new Error(
      `${folder} has no complete backup: ${FILE} is missing. Give the folder that \`backup\` printed, or make a new backup.`,
    )
  })
  const manifest = ManifestSchema.safeParse(jsonOf(text)).data
  if (manifest === undefined) throw new Error(`${join(folder, FILE)} is damaged. Use another backup.`)
  if (numberOf(manifest.version) > numberOf(version))
    throw new Error(
      `The backup was made by version ${manifest.version}, this is version ${version}. Restore it with ${manifest.version} or a newer version.`,
    )
  return manifest
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  return (major * 1_000 + minor) * 1_000 + patch
}
