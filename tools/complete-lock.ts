/**
 * Run after every change of a dependency. A registry that lacks builds for other platforms leaves them out
 * of the lock file, and `npm ci` then refuses the file as incomplete. This adds what is missing: the name,
 * the exact version its parent asks for, and the platform that the name tells.
 *
 * It also removes `engines` from optional packages. npm leaves out an optional package whose `engines` does not allow
 * the Node that runs npm, without a word; but here that Node only installs, and Node 24 runs what was installed.
 */
import { readFileSync, writeFileSync } from 'node:fs'

interface LockedPackage {
  version?: string
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
for (const locked of Object.values(lock.packages)) if (locked.optional) delete locked.engines
const inOrder = Object.entries(lock.packages).toSorted(([one], [other]) => (one < other ? -1 : 1))
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(inOrder) }, null, 2)}\n`)
console.log(
  `${added.length} packages of other platforms added to ${file}${added.map((each) => `\n  ${each}`).join('')}`,
)
