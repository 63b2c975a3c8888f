import { existsSync, globSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Program } from '../engines/engine.ts'
import { searchPath } from '../environment.ts'
import { runToEnd } from '../run-to-end.ts'
import type { KnownProgram } from './known-programs.ts'

/** Locates a copy unpacked below `root`; it uses the libraries unpacked with it. */
export function locateUnpacked(known: KnownProgram, root: string): Promise<Program | undefined> {
  const places = known.folders.map((folder) => join(root, folder))
  return firstAccepted(known, places, libraryFolders(root).join(':'))
}

/**
 * The usual folders first, then the nested ones: some packages keep libraries in a folder of their own, such as
 * `pulseaudio`, which an installed copy finds by an absolute path that an unpacked copy doesn't have.
 */
function libraryFolders(root: string): string[] {
  const usual = globSync(['lib/*-linux-*', 'usr/lib/*-linux-*'].map((pattern) => join(root, pattern)))
  const libraries = globSync(usual.map((folder) => join(folder, '*/**/lib*.so*')))
  return [...new Set([...usual, ...libraries.map((file) => dirname(file))])]
}

/** Locates a copy installed on this machine. */
export function locateInstalled(known: KnownProgram): Promise<Program | undefined> {
  return firstAccepted(known, [...new Set([...known.folders, ...searchPath])])
}

async function firstAccepted(known: KnownProgram, folders: string[], libraryPath = ''): Promise<Program | undefined> {
  for (const folder of folders) {
    const path = join(folder, known.file)
    if (!existsSync(path)) continue
    // Resolve the folder, because PostgreSQL finds its other files from there; keep the file name, because Redis is a link.
    const resolved = join(await realpath(folder), known.file)
    const program = { path: resolved, ...(libraryPath && { libraryPath }) }
    if (await isAccepted(known, program)) return program
  }
  return undefined
}

async function isAccepted(known: KnownProgram, program: Program): Promise<boolean> {
  const output = await runToEnd({ program, args: [known.versionOption ?? '--version'] }).catch(() => '')
  const [, major, minor] = output.match(/(\d+)\.(\d+)/) ?? []
  return major !== undefined && known.accepts({ major: Number(major), minor: Number(minor) })
}
