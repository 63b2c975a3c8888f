import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { expect, test } from 'vitest'
import { RawBench, START_MS } from '../raw/raw-bench.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

test('a command whose reader has read enough, such as `head`, ends without an error', async () => {
  using bench = new RawBench()
  const raw = bench.open()
  for (let index = 0; index < 20_000; index++)
    raw.append({
      kind: 'frame',
      atMs: START_MS + index,
      venue: 'polymarket',
      stream: '1',
      body: `frame ${index} ${'x'.repeat(1_000)}`,
    })
  await raw.close()
  const { stdout, stderr } = await promisify(execFile)(
    'sh',
    [
      '-c',
      '"$0" --disable-warning=ExperimentalWarning "$1" raw cat --folder "$2" | head -1',
      process.execPath,
      MAIN,
      bench.folder,
    ],
    { env: { ...COMPILE_CACHE } },
  )
  expect([stdout.split('\n').length, stderr]).toEqual([2, ''])
})
