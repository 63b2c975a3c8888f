/**
 * Completes package-lock.json; run it after every change of a dependency. npm omits packages for other platforms when
 * the registry does not have them, and `npm ci` then rejects the lock file. This adds them with name, exact version and
 * the platform in the name. It also asks the registry for every checksum that is missing.
 *
 * It also removes `engines` from optional packages. npm silently skips an optional package whose `engines` excludes the
 * Node that runs npm; here that Node only installs, and Node 24 runs the program.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { answerHelp, refuseOthersThan } from './tool-help.ts'

answerHelp(`node tools/complete-lock.ts

Completes package-lock.json with the packages for other platforms and all checksums. Part of: npm run lock

  --help               show this help
  --version            print the version

Example:
  npm run lock
`)
refuseOthersThan()

interface LockedPackage {
  version?: string
  integrity?: string
  link?: boolean
  optional?: boolean
  engines?: Record<string, string>
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32']

function platformIn(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/)
  const os = words.find((word) => SYSTEMS.includes(word))
  const cpu = words.find((word) => PROCESSORS.includes(word))
  const last = words.at(-1) ?? ''
  const libc = last.startsWith('musl') ? 'musl' : last.startsWith('gnu') ? 'glibc' : undefined
  return {
    ...(os !== undefined && { os: [os] }),
    ...(cpu !== undefined && { cpu: [cpu] }),
    ...(libc !== undefined && { libc: [libc] }),
  }
}

/** Empty when the registry of this machine does not have this version. */
function checksumOf(name: string, version: string): string {
  try {
    const args = ['view', `${name}@${version}`, 'dist.integrity']
    return execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

const file = 'package-lock.json'
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> }
const added: string[] = []
for (const { optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    if (path in lock.packages || !/^\d/.test(version)) continue
    lock.packages[path] = { version, optional: true, ...platformIn(name) }
    added.push(`${name} ${version}`)
  }
}
const unknown: string[] = []
for (const [path, locked] of Object.entries(lock.packages)) {
  if (locked.optional) delete locked.engines
  const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? []
  if (name === undefined || locked.version === undefined || locked.link || locked.integrity) continue
  const integrity = checksumOf(name, locked.version)
  if (integrity !== '') locked.integrity = integrity
  else unknown.push(`${name} ${locked.version}`)
}
const inOrder = Object.entries(lock.packages).toSorted(([one], [other]) => (one < other ? -1 : 1))
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(inOrder) }, null, 2)}\n`)
const listed = (names: readonly string[]): string => names.map((each) => `\n  ${each}`).join('')
console.log(`${added.length} packages for other platforms added to ${file}${listed(added)}`)
if (unknown.length > 0) console.log(`The registry gave no checksum for these packages:${listed(unknown)}`)
