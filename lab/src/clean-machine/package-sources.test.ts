import { expect, test } from 'vitest'
import { archiveIn, npmrcFor, reachingVariables } from './package-sources.ts'

test('the archive of the suite is found in both formats of package sources', () => {
  const stanzas = `Types: deb
URIs: http://other.test/packages
Suites: stable

Types: deb deb-src
# http://comment.test
URIs: http://archive.test/debian
Suites: bookworm bookworm-updates
`
  expect(archiveIn(stanzas, 'bookworm')).toBe('http://archive.test/debian')
  const lines = `deb http://archive.test/security bookworm-security main
deb [signed-by=/keys/debian.gpg] http://archive.test/debian bookworm main
`
  expect(archiveIn(lines, 'bookworm')).toBe('http://archive.test/debian')
  expect(archiveIn(stanzas + lines, 'trixie')).toBeUndefined()
})

test('only registry settings of the npm configuration are copied', () => {
  const config = {
    registry: 'https://registry.test/',
    cafile: null,
    'https-proxy': 'http://proxy.test',
    editor: 'vi',
    noproxy: [''],
  }
  const userFile = 'yes=false\n@scope:registry=https://scope.test/\n//scope.test/:username=reader\n'
  expect(npmrcFor(config, userFile)).toBe(`registry=https://registry.test/
https-proxy=http://proxy.test
@scope:registry=https://scope.test/
//scope.test/:username=reader
`)
})

test('only proxy and certificate variables are copied', () => {
  expect(reachingVariables({ HTTPS_PROXY: 'http://proxy.test', PATH: '/bin', no_proxy: 'a', HOME: undefined })).toEqual(
    {
      HTTPS_PROXY: 'http://proxy.test',
      no_proxy: 'a',
    },
  )
})
