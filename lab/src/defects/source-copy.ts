import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Defect, withDefect } from './defect.ts'

/** Not copied: large, and not source. */
const LEFT_OUT = ['node_modules', 'out', '.git']
/** The packages of this project, which must be those of the copy. */
const OWN_SCOPE = '@bookreel'

/** A copy of the source in which one defect at a time can be applied. */
export class SourceCopy implements AsyncDisposable {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(root: string): Promise<SourceCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'bookreel-defect-'))
    for (const entry of await readdir(root)) {
      if (!LEFT_OUT.includes(entry)) await cp(join(root, entry), join(folder, entry), { recursive: true })
    }
    await linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'))
    // Tests of the house rules ask git which files there are.
    await promisify(execFile)('git', ['init', '--quiet'], { cwd: folder })
    return new SourceCopy(folder)
  }

  /** The defect lasts until the result is disposed. */
  async apply(defect: Defect): Promise<AsyncDisposable> {
    const path = join(this.folder, defect.file)
    // Not from the source itself, which may have been changed since it was copied.
    const content = await readFile(path, 'utf8')
    await writeFile(path, withDefect(content, defect))
    return { [Symbol.asyncDispose]: () => writeFile(path, content) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Links every installed package, and the packages of this project to the copy. */
async function linkPackages(installed: string, links: string): Promise<void> {
  await mkdir(links)
  for (const entry of await readdir(installed)) {
    if (entry !== OWN_SCOPE) await symlink(join(installed, entry), join(links, entry))
  }
  // Their links are relative, so that copies of them lead into the copy.
  await cp(join(installed, OWN_SCOPE), join(links, OWN_SCOPE), { recursive: true, verbatimSymlinks: true })
}
