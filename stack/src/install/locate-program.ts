import { existsSync, globSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Program } from '../engines/engine.ts'
import { searchPath } from '../environment.ts'
import { runToEnd } from '../run-to-end.ts'
import type { KnownProgram } from './known-programs.ts'

/** A copy unpacked below `root`, which uses the libraries that were unpacked with it. */
export function locateUnpacked(known: KnownProgram, root: string): Promise<Program | undefined> {
  const places = known.folders.map((folder) => join(root, folder))
  return firstServing(known, places, libraryFolders(root).join(':'))
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

/** A copy that the machine has anyway. */
export function locateInstalled(known: KnownProgram): Promise<Program | undefined> {
  return firstServing(known, [...new Set([...known.folders, ...searchPath])])
}

async function firstServing(known: KnownProgram, folders: string[], libraryPath = ''): Promise<Program | undefined> {
  for (const folder of folders) {
    const path = join(folder, known.file)
    if (!existsSync(path)) continue
    // The real place, because PostgreSQL finds its other files from there; Redis is a link that must keep its name.
    const place = join(await realpath(folder), known.file)
    const program = { path: place, ...(libraryPath && { libraryPath }) }
    if (await serves(known, program)) return program
  }
  return undefined
}

async function serves(known: KnownProgram, program: Program): Promise<boolean> {
  const answer = await runToEnd({ program, args: ['--version'] }).catch(() => '')
  const [, major, minor] = answer.match(/(\d+)\.(\d+)/) ?? []
  return major !== undefined && known.accepts({ major: Number(major), minor: Number(minor) })
}
