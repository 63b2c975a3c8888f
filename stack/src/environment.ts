import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Unpacked programs that every stack of this user shares. The only files kept outside a stack's own folder. */
export const programCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bookreel')

export const searchPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')

/** The variables a child process gets when `changes` are laid over our own. */
export function environmentWith(changes: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...changes }
}
