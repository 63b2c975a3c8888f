import { expect, test } from 'vitest'
import { cannotDownload, missingToolsSentence } from './install-advice.ts'
import { KNOWN_PROGRAMS } from './known-programs.ts'

const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
const UBUNTU = 'PRETTY_NAME="Ubuntu 24.04 LTS"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n'
const FEDORA = 'PRETTY_NAME="Fedora Linux 42"\nID=fedora\nVERSION_ID=42\n'

test('the message says what to install, and why the download failed', () => {
  expect(
    cannotDownload(KNOWN_PROGRAMS.postgres, 'no route to the archive', DEBIAN).message,
  ).toBe(`PostgreSQL 15 is not installed and cannot be downloaded. Install it yourself:
  apt-get install postgresql-15
Reason: no route to the archive`)
})

test('the advised version of each program is one that the stack accepts', () => {
  for (const known of Object.values(KNOWN_PROGRAMS)) {
    const isOfMachine = known.suite === 'machine'
    expect(known.howToInstall === `apt-get install ${known.packageName}`, known.title).toBe(isOfMachine)
  }
})

test('on other systems it says that the package names are those of Debian 12', () => {
  const { message } = cannotDownload(KNOWN_PROGRAMS.redisServer, 'Unable to locate package', UBUNTU)
  expect(message).toContain('The package names are those of Debian 12; this machine runs Ubuntu 24.04 LTS.')
})

test('names missing tools with their Debian package, or the system that is not Debian', () => {
  expect(missingToolsSentence(['flock'], DEBIAN)).toBe('flock is missing in PATH. Debian package: util-linux.')
  expect(missingToolsSentence(['apt-get', 'dpkg'], FEDORA)).toBe(
    'apt-get and dpkg are missing: this machine runs Fedora Linux 42, and packages can only be downloaded on Debian.',
  )
  expect(missingToolsSentence(['dpkg'], '')).toContain('this machine runs an unknown system')
})
