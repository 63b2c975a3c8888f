import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runToEnd } from '../run-to-end.ts'
import { linesWithSuite, withSuite } from './apt-sources.ts'

/** `machine`: the suites that this machine uses. */
export type Suite = 'machine' | 'sid'

// Dependencies that are not used here: 100 MB for PostgreSQL's JIT compiler.
const UNWANTED = /^libllvm/

/** apt with its own package lists and downloads: needs no root, and does not change the packages of the machine. */
export class PrivateApt {
  readonly #folder: string
  readonly #suite: Suite
  #updated = false

  constructor(folder: string, suite: Suite) {
    this.#folder = join(folder, suite)
    this.#suite = suite
  }

  /**
   * Downloads the package and those of its dependencies that the machine lacks, and unpacks them into `target`.
   * Returns how many packages these were.
   */
  async unpack(packageName: string, target: string): Promise<number> {
    await this.#update()
    const plan = await this.#apt(['install', '--print-uris', '-qq', '--yes', '--no-install-recommends', packageName])
    const names = plan
      .split('\n')
      .flatMap((line) => line.match(/^'[^']+' ([^_\s]+)_/)?.[1] ?? [])
      .filter((name) => !UNWANTED.test(name))
    if (names.length === 0)
      throw new Error(`apt reports ${packageName} as installed, but its program was not found. Reinstall the package.`)
    const downloads = join(this.#folder, `downloads-${packageName}`)
    await mkdir(downloads, { recursive: true })
    await this.#apt(['download', '-qq', ...names], downloads)
    for (const file of await readdir(downloads)) {
      await runToEnd({ program: { path: 'dpkg' }, args: ['--extract', join(downloads, file), target] })
    }
    return names.length
  }

  async #update(): Promise<void> {
    if (this.#updated) return
    for (const folder of ['lists/partial', 'cache/archives/partial', 'sources']) {
      await mkdir(join(this.#folder, folder), { recursive: true })
    }
    if (this.#suite !== 'machine') await this.#writeSources(this.#suite)
    await this.#apt(['update', '-qq'])
    this.#updated = true
  }

  async #writeSources(suite: string): Promise<void> {
    const own = (await readFile('/etc/os-release', 'utf8')).match(/^VERSION_CODENAME=(\w+)$/m)?.[1] ?? ''
    const files = (await readdir('/etc/apt/sources.list.d')).map((name) => join('/etc/apt/sources.list.d', name))
    let stanzas = ''
    let lines = ''
    for (const file of ['/etc/apt/sources.list', ...files].filter((file) => existsSync(file))) {
      const text = await readFile(file, 'utf8')
      if (file.endsWith('.sources')) stanzas += withSuite(text, own, suite)
      if (file.endsWith('.list')) lines += linesWithSuite(text, own, suite)
    }
    if (stanzas + lines === '')
      throw new Error(`No package source of Debian ${own} found in /etc/apt. Add one, or install the program yourself.`)
    await writeFile(join(this.#folder, 'sources/stack.sources'), stanzas)
    await writeFile(join(this.#folder, 'sources/stack.list'), lines)
  }

  #apt(args: string[], cwd = this.#folder): Promise<string> {
    const options = [
      `Dir::State::lists=${join(this.#folder, 'lists')}`,
      `Dir::Cache=${join(this.#folder, 'cache')}`,
      'Debug::NoLocking=true',
      // apt's download user may have no access to this folder.
      'APT::Sandbox::User=root',
      'Acquire::Languages=none',
      'Acquire::Retries=3',
    ]
    if (this.#suite !== 'machine') {
      options.push('Dir::Etc::sourcelist=/dev/null', `Dir::Etc::sourceparts=${join(this.#folder, 'sources')}`)
    }
    const command = { program: { path: 'apt-get' }, args: [...options.flatMap((option) => ['-o', option]), ...args] }
    return runToEnd(command, '', { cwd })
  }
}
