import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { programCache, searchPath } from '@bookreel/stack/environment'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { ROOT, trackedFiles } from '../repository.ts'

/** A copy of the files of this repository, where commands of a page may write, and the home folder of its user. */
export class Checkout implements Disposable {
  readonly #parent = mkdtempSync(join(tmpdir(), 'bookreel-pages-'))
  readonly folder = join(this.#parent, 'bookreel')
  readonly home = join(this.#parent, 'home')

  constructor() {
    for (const folder of [this.folder, this.home]) mkdirSync(folder)
    const files = `${trackedFiles().join('\n')}\n`
    const packed = execFileSync('tar', ['-c', '-T', '-'], { cwd: ROOT, input: files, maxBuffer: 1 << 28 })
    execFileSync('tar', ['-x'], { cwd: this.folder, input: packed })
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'))
  }

  /** The variables of a new terminal: none of ours, and the Node version that the project installs. */
  get environment(): Record<string, string> {
    const programs = searchPath.filter((folder) => !folder.includes('node_modules'))
    return {
      HOME: this.home,
      ...COMPILE_CACHE,
      PATH: [join(this.home, 'bin'), dirname(process.execPath), ...programs].join(':'),
      // The programs that the project downloads are kept.
      XDG_CACHE_HOME: dirname(programCache),
      LANG: 'C.UTF-8',
      npm_config_update_notifier: 'false',
    }
  }

  /** A folder beside the copy. */
  beside(name: string): string {
    return join(this.#parent, name)
  }

  [Symbol.dispose](): void {
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 5 })
  }
}
