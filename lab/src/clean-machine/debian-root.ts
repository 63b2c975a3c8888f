import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { environmentWith, searchPath } from '@bookreel/stack/environment'
import { PrivateApt } from '@bookreel/stack/install/private-apt'
import { runOnHost } from './host-command.ts'
import { archiveIn, type NpmConfig, npmrcFor, reachingVariables } from './package-sources.ts'

const SUITE = 'bookworm'

type OnLine = (line: string) => void

/** Debian 12 with its required packages, apt and certificates, in a new folder `root`. */
export async function bootstrapDebian(root: string, work: string, onLine: OnLine, signal: AbortSignal): Promise<void> {
  const archive = archiveIn(await aptSources(), SUITE)
  if (archive === undefined)
    throw new Error(`/etc/apt names no package archive of Debian 12 (${SUITE}); add one and try again.`)
  const { program, env } = await findDebootstrap(work, onLine)
  // In its own namespaces, so that mounts and processes of debootstrap end with it, also when it is killed.
  const alone = ['--mount', '--pid', '--fork', '--kill-child', '--']
  const args = ['--variant=minbase', '--include=ca-certificates', SUITE, root, archive]
  await runOnHost('unshare', [...alone, program, ...args], { env, onLine, signal })
}

/** Copies the package sources and proxy settings of this machine. Returns the environment variables for them. */
export async function bringPackageSources(root: string, checkout: string): Promise<Record<string, string>> {
  await rm(join(root, 'etc/apt/sources.list'), { force: true })
  for (const folder of ['/etc/apt', '/usr/share/keyrings', '/usr/local/share/ca-certificates']) {
    if (existsSync(folder)) await cp(folder, join(root, folder), { recursive: true, dereference: true })
  }
  const variables = reachingVariables(environmentWith({}))
  const listed = await runOnHost('npm', ['config', 'list', '--json', '--loglevel=error'], { cwd: checkout })
  const config = JSON.parse(listed) as NpmConfig
  const userConfig = String(config.userconfig)
  const userFile = existsSync(userConfig) ? await readFile(userConfig, 'utf8') : ''
  await writeFile(join(root, 'root/.npmrc'), npmrcFor(config, userFile), { mode: 0o600 })
  const certificates = [config.cafile, variables.NODE_EXTRA_CA_CERTS, variables.SSL_CERT_FILE]
  for (const file of ['/etc/hosts', '/etc/resolv.conf', ...certificates]) {
    if (typeof file === 'string' && existsSync(file)) await copyText(file, join(root, file))
  }
  return variables
}

export async function countDebianPackages(root: string): Promise<number> {
  const status = await readFile(join(root, 'var/lib/dpkg/status'), 'utf8')
  return status.match(/^Status: install ok installed$/gm)?.length ?? 0
}

/** The debootstrap of this machine, or one unpacked into `work`. */
async function findDebootstrap(work: string, onLine: OnLine): Promise<{ program: string; env: NodeJS.ProcessEnv }> {
  const folders = [...searchPath, '/usr/sbin']
  const present = folders.map((folder) => join(folder, 'debootstrap')).find((file) => existsSync(file))
  if (present !== undefined) return { program: present, env: environmentWith({}) }
  onLine('debootstrap is missing; unpacking it for this run')
  const tools = join(work, 'tools')
  await mkdir(tools)
  try {
    await new PrivateApt(work, 'machine').unpack('debootstrap', tools)
  } catch (error) {
    throw new Error(
      `debootstrap is not installed and cannot be downloaded. Install it:\n  apt-get install debootstrap\n${(error as Error).message}`,
    )
  }
  const env = environmentWith({ DEBOOTSTRAP_DIR: join(tools, 'usr/share/debootstrap') })
  return { program: join(tools, 'usr/sbin/debootstrap'), env }
}

async function aptSources(): Promise<string> {
  const folder = '/etc/apt/sources.list.d'
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => /\.(sources|list)$/.test(name)) : []
  const files = ['/etc/apt/sources.list', ...names.map((name) => join(folder, name))].filter((file) => existsSync(file))
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n\n')
}

/** The content, because the file of this machine may be a link. */
async function copyText(from: string, to: string): Promise<void> {
  const text = await readFile(from)
  await mkdir(dirname(to), { recursive: true })
  await rm(to, { force: true })
  await writeFile(to, text)
}
