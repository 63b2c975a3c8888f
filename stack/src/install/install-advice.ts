import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { searchPath } from '../environment.ts'
import type { KnownProgram } from './known-programs.ts'

const DEBIAN_PACKAGES = { 'apt-get': 'apt', dpkg: 'dpkg', flock: 'util-linux', setpriv: 'util-linux' } as const
type Tool = keyof typeof DEBIAN_PACKAGES

export function missingTools(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => !searchPath.some((folder) => existsSync(join(folder, tool))))
}

/** Names the missing tools and how to get them on a machine with this /etc/os-release. */
export function missingToolsSentence(missing: readonly Tool[], osRelease = readOsRelease()): string {
  const tools = missing.join(' and ')
  const verb = missing.length === 1 ? 'is' : 'are'
  if (!isLikeDebian(osRelease)) {
    return `${tools} ${verb} missing: this machine runs ${systemIn(osRelease)}, and packages can only be downloaded on Debian.`
  }
  const packages = [...new Set(missing.map((tool) => DEBIAN_PACKAGES[tool]))]
  return `${tools} ${verb} missing in PATH. Debian package: ${packages.join(', ')}.`
}

export function cannotStart({ title }: KnownProgram): Error {
  return new Error(
    `${title} cannot be started: ${missingToolsSentence(['setpriv'])}\n` +
      'The stack uses setpriv to stop its engines when it ends. Install the package util-linux.',
  )
}

export function cannotDownload(
  { title, howToInstall }: KnownProgram,
  reason: string,
  osRelease = readOsRelease(),
): Error {
  const lines = [`${title} is not installed and cannot be downloaded. Install it yourself:`, `  ${howToInstall}`]
  if (!isDebian12(osRelease))
    lines.push(`The package names are those of Debian 12; this machine runs ${systemIn(osRelease)}.`)
  lines.push(`Reason: ${reason}`)
  return new Error(lines.join('\n'))
}

function readOsRelease(): string {
  return existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
}

function fieldOf(osRelease: string, name: string): string {
  return osRelease.match(new RegExp(`^${name}="?([^"\n]*)"?$`, 'm'))?.[1] ?? ''
}

function isLikeDebian(osRelease: string): boolean {
  return [fieldOf(osRelease, 'ID'), ...fieldOf(osRelease, 'ID_LIKE').split(' ')].includes('debian')
}

function isDebian12(osRelease: string): boolean {
  return fieldOf(osRelease, 'ID') === 'debian' && fieldOf(osRelease, 'VERSION_ID') === '12'
}

function systemIn(osRelease: string): string {
  return fieldOf(osRelease, 'PRETTY_NAME') || 'an unknown system'
}
