import { expect, test } from 'vitest'
import { linesWithSuite, withSuite } from './apt-sources.ts'

test('stanzas keep their archive and key, and other archives are left out', () => {
  const machine = `Types: deb
URIs: http://archive.test/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /keys/debian.gpg

Types: deb
URIs: http://archive.test/debian-security
Suites: bookworm-security
Components: main

Types: deb
URIs: http://other.test/packages
Suites: stable
Components: main
`
  expect(withSuite(machine, 'bookworm', 'sid')).toBe(`Types: deb
URIs: http://archive.test/debian
Suites: sid
Components: main
Signed-By: /keys/debian.gpg

`)
})

test('single lines keep their options', () => {
  const machine = `# deb http://archive.test/debian bookworm main
deb [signed-by=/keys/debian.gpg] http://archive.test/debian bookworm main contrib
deb http://archive.test/debian-security bookworm-security main
deb-src http://archive.test/debian bookworm main
deb http://other.test/packages stable main
`
  expect(linesWithSuite(machine, 'bookworm', 'sid')).toBe(
    'deb [signed-by=/keys/debian.gpg] http://archive.test/debian sid main contrib\n',
  )
})
