import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { searchPath } from '../src/environment.ts'
import { locateUnpacked } from '../src/install/locate-program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookreel-missing-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const MODULE = new URL('../src/install/ensure-programs.ts', import.meta.url).href

/** Requests a program that no machine and no archive has, with the real apt and no archive configured. */
function askForNoSuchProgram(path: string): string {
  const aptConfig = join(folder, 'apt.conf')
  writeFileSync(aptConfig, 'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "/dev/null";\n')
  const script = `import { ensureKnown } from '${MODULE}'
    const known = { title: 'Nothing 1', file: 'no-such-program', packageName: 'no-such-package', suite: 'machine',
      folders: [], howToInstall: 'apt-get install no-such-package', accepts: () => true }
    await ensureKnown(known, () => {}).catch((error) => console.log(error.message))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: path, XDG_CACHE_HOME: folder, APT_CONFIG: aptConfig },
    encoding: 'utf8',
  })
  return stdout
}

/** Creates a folder for PATH that contains only these tools. */
function pathWith(...tools: string[]): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const tool of tools) {
    const found = spawnSync('which', [tool], { encoding: 'utf8' }).stdout.trim()
    symlinkSync(found, join(bin, tool))
  }
  return bin
}

test('a package that the archive lacks: says what to install, and the message of apt', () => {
  const message = askForNoSuchProgram(searchPath.join(':'))
  expect(message).toContain(
    'Nothing 1 is not installed and cannot be downloaded. Install it yourself:\n  apt-get install no-such-package\n',
  )
  expect(message).toContain('Unable to locate package no-such-package')
})

test('a machine without apt-get', () => {
  const message = askForNoSuchProgram(pathWith('setpriv', 'flock', 'sh', 'cat'))
  expect(message).toContain('apt-get install no-such-package\n')
  expect(message).toMatch(/Reason: apt-get and dpkg are missing/)
})

test('a machine without setpriv', () => {
  expect(askForNoSuchProgram(pathWith('flock', 'sh'))).toMatch(
    /^Nothing 1 cannot be started: setpriv is missing.*\n.*Install the package util-linux/,
  )
})

test('an unpacked program finds libraries that its packages keep in nested folders', async () => {
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu')
  mkdirSync(join(libraries, 'pulseaudio'), { recursive: true })
  mkdirSync(join(libraries, 'without-libraries'))
  writeFileSync(join(libraries, 'libouter.so.1'), '')
  writeFileSync(join(libraries, 'pulseaudio/libinner-16.1.so'), '')
  mkdirSync(join(folder, 'usr/bin'))
  // Like the dynamic loader, it starts only when each library is in a folder of the library path.
  const program = `#!/bin/sh
for library in libouter.so.1 libinner-16.1.so; do
  found=
  IFS=:
  for folder in $LD_LIBRARY_PATH; do [ -e "$folder/$library" ] && found=yes; done
  [ "$found" ] || { echo "$library: cannot open shared object file" >&2; exit 127; }
done
echo program 1.0
`
  writeFileSync(join(folder, 'usr/bin/program'), program, { mode: 0o755 })
  const found = await locateUnpacked(
    {
      title: 'Program 1',
      file: 'program',
      packageName: 'program',
      suite: 'machine',
      folders: ['/usr/bin'],
      howToInstall: 'apt-get install program',
      accepts: ({ major }) => major === 1,
    },
    folder,
  )
  expect(found?.libraryPath?.split(':')).toEqual([libraries, join(libraries, 'pulseaudio')])
})
