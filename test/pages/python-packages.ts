import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programCache } from '@bookreel/stack/environment'
import { withLock } from '@bookreel/stack/install/install-lock'
import { PrivateApt } from '@bookreel/stack/install/private-apt'
import { ROOT, textOf } from '../repository.ts'

const run = promisify(execFile)
const REQUIREMENTS = 'examples/python/requirements.txt'
/** Debian's package of pip without its dependencies; Debian's Python has no pip of its own. */
const PIP_PACKAGE = 'python3-pip-whl'

/** Installs the packages of the Python examples into a private folder, once. Returns a value for `PYTHONPATH`. */
export async function ensurePythonPackages(python: string): Promise<string> {
  const { stdout: version } = await run(python, ['--version'])
  const hash = createHash('sha256').update(version).update(textOf(REQUIREMENTS)).digest('hex').slice(0, 12)
  const folder = join(programCache, `python-packages-${hash}`)
  await mkdir(programCache, { recursive: true })
  await withLock(join(programCache, 'python-packages.lock'), async () => {
    if (existsSync(folder)) return
    const work = await mkdtemp(join(programCache, '.python-packages-'))
    try {
      const packages = join(work, 'packages')
      const pip = await pipCommand(python, work)
      const options = ['--quiet', '--retries', '1', '--no-compile', '--target', packages]
      await run(python, [...pip, 'install', ...options, '--requirement', join(ROOT, REQUIREMENTS)])
      await rename(packages, folder)
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  })
  return folder
}

async function pipCommand(python: string, work: string): Promise<string[]> {
  const hasPip = await run(python, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  )
  if (hasPip) return ['-m', 'pip']
  await new PrivateApt(work, 'machine').unpack(PIP_PACKAGE, join(work, 'root'))
  const [wheel] = globSync(join(work, 'root/usr/share/python-wheels/pip-*.whl'))
  if (wheel === undefined) throw new Error(`The Debian package ${PIP_PACKAGE} contains no pip. Install python3-pip.`)
  return [join(wheel, 'pip')]
}
