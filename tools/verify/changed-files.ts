import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { refuseArguments } from '../tool-help.ts'

/** What a push would change: since the branch that it goes to, and what is not committed. */
export function changedFiles(since: string | undefined): string[] {
  const base = commitOf(since ?? 'origin/HEAD')
  if (since !== undefined && base === undefined) refuseArguments(`--since: there is no commit ${since}`)
  const committed = base === undefined ? '' : git('diff', '--name-only', `${base}...HEAD`)
  const tracked = git('diff', '--name-only', 'HEAD')
  const untracked = git('ls-files', '--others', '--exclude-standard')
  return [...new Set(`${committed}\n${tracked}\n${untracked}`.split('\n').filter(Boolean))]
}

/** Undefined in a repository without that name, as without a remote one. */
function commitOf(name: string): string | undefined {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).trim()
  } catch {
    return undefined
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Nightly files whose folders have a changed file. */
export function nightlyFilesFor(changed: readonly string[]): string[] {
  const nightly = globSync('**/*.nightly.test.ts', { exclude: ['**/node_modules/**'] })
  return nightly.filter((file) => coveredBy(file).some((folder) => changed.some((each) => each.startsWith(folder))))
}

/** `// Covers: service/src/bus service/src/capture`, or else the folder of the file and that of its subject. */
function coveredBy(file: string): string[] {
  const named = /^\/\/ Covers: (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]
  if (named !== undefined) return [file, ...named.split(' ')]
  const [workspace = '', kind, subject] = file.split('/')
  if (workspace === 'service' && kind === 'test') return [`service/test/${subject}/`, `service/src/${subject}/`]
  return [`${workspace}/`]
}
