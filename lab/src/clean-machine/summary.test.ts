import { expect, test } from 'vitest'
import { packagesIn, tellSteps } from './summary.ts'

test('packages are counted from the output of each step', () => {
  const results = [
    { step: 'apt-get install npm', output: 'Setting up nodejs (18) ...\nSetting up npm (9) ...\n' },
    { step: 'npm ci', output: 'npm WARN\n\nadded 383 packages in 1m\n' },
    { step: 'install', output: 'Redis 7 fetched: 4 packages in 2.0 s\nChromium fetched: 90 packages in 9.1 s\n' },
    { step: 'other', output: '' },
  ].map((result) => ({ ...result, from: 'README' as const, seconds: 1 }))
  expect(packagesIn(results)).toEqual([
    { step: 'apt-get install npm', packages: 2, kind: 'Debian, installed' },
    { step: 'npm ci', packages: 383, kind: 'npm' },
    { step: 'install', packages: 94, kind: 'Debian, unpacked for the stack' },
  ])
})

test('a failed step shows its last lines', () => {
  const results = [
    { step: 'npm ci', from: 'README' as const, seconds: 61.24, output: '' },
    { step: 'npm run dev', from: 'README' as const, seconds: 2, output: 'one\ntwo\n', problem: 'ended with 1' },
  ]
  expect(tellSteps(results)).toEqual([
    'ok       61.2 s  npm ci',
    'FAILED    2.0 s  npm run dev',
    '       ended with 1',
    '       | one',
    '       | two',
  ])
})
