import { expect, test } from 'vitest'
import { cannotFetch, missingToolsSentence } from './install-advice.ts'
import { KNOWN_PROGRAMS } from './known-programs.ts'

const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
const UBUNTU = 'PRETTY_NAME="Ubuntu 24.04 LTS"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n'
const FEDORA = 'PRETTY_NAME="Fedora Linux 42"\nID=fedora\nVERSION_ID=42\n'

test('the message says what to install, and why it could not be fetched', () => {
  expect(
    cannotFetch(KNOWN_PROGRAMS.postgres, 'no route to the archive', DEBIAN).message,
  ).toBe(`PostgreSQL 15 is missing and cannot be fetched. Install it yourself:
  apt-get install postgresql-15
Or use the containers of compose.yaml.
Why it cannot be fetched: no route to the archive`)
})

test('no program is advised that would be refused afterwards', () => {
  for (const known of Object.values(KNOWN_PROGRAMS)) {
    const isOfMachine = known.suite === 'machine'
    expect(known.howToInstall === `apt-get install ${known.packageName}`, known.title).toBe(isOfMachine)
  }
})

test('elsewhere it says that the names are those of Debian 12', () => {
  const { message } = cannotFetch(KNOWN_PROGRAMS.redisServer, 'Unable to locate package', UBUNTU)
  expect(message).toContain('Package names are those of Debian 12; this is Ubuntu 24.04 LTS.')
})

test('missing tools are named with their package, or with the system that has none', () => {
  expect(missingToolsSentence(['flock'], DEBIAN)).toBe("flock is missing in PATH. Debian's package: util-linux.")
  expect(missingToolsSentence(['apt-get', 'dpkg'], FEDORA)).toBe(
    'apt-get and dpkg are missing: this machine runs Fedora Linux 42, and packages can only be fetched on Debian.',
  )
  expect(missingToolsSentence(['dpkg'], '')).toContain('this machine runs an unknown system')
})
