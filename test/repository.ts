import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/** All files that git tracks or would track. */
export function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const deleted = execFileSync('git', ['ls-files', '--deleted'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  return listed.split('\n').filter((file) => file !== '' && !deleted.includes(file))
}

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** Module names in the imports of a source file. */
export function importsOf(file: string): string[] {
  const statements = textOf(file).matchAll(
    /^(?:import|export)\b[^'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gms,
  )
  return [...statements].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
}
