import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = 'bookreel-files-'
/** As `mkdtemp` makes them. */
const SCRATCH_NAME = /^bookreel-files-[A-Za-z0-9]{6}$/
/** A file that is being written changes all the time; a folder that is in use but empty is made again by its owner. */
const ABANDONED_AFTER_MS = 3_600_000

/** A new folder for files that are being written. Folders that killed processes have left in the same place are removed. */
export async function openScratchFolder(parent: string, nowMs: number): Promise<string> {
  await mkdir(parent, { recursive: true })
  for (const name of await readdir(parent)) {
    if (!SCRATCH_NAME.test(name)) continue
    const path = join(parent, name)
    // Another process may remove it at the same time, or it belongs to another user.
    const isAbandoned = await changedAtMs(path).then(
      (atMs) => nowMs - atMs > ABANDONED_AFTER_MS,
      () => false,
    )
    if (isAbandoned) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
  return mkdtemp(join(parent, PREFIX))
}

async function changedAtMs(folder: string): Promise<number> {
  const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))]
  const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs))
  return Math.max(...times)
}
