import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Cache of unpacked programs, shared by all stacks of this user: the only files outside a stack's folder. */
export const programCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bookreel')

export const searchPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')

/** The environment of a child process: our own with `changes`. */
export function environmentWith(changes: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...changes }
}
