import { expect, test } from 'vitest'
import { verifyFile } from '../src/index.ts'

const CHAIN = { entries: [], problems: [], known: { keys: [], hashes: [] } }

/** A service that answers with what it likes. */
function answering(proof: object) {
  return {
    proof: async () =>
      ({ sha256: 'a'.repeat(64), leaf_index: 0, path: [], manifest: { number: 1 }, ...proof }) as never,
  }
}

test('the proof of another file is not accepted, and neither is a number that is text', async () => {
  const file = { id: 'one-2026-11-15-r1', sha256: 'a'.repeat(64) }
  const other = await verifyFile(answering({ id: 'two-2026-11-15-r1' }), file, CHAIN)
  expect(other).toMatchObject({ code: 'forged_root', message: expect.stringContaining('another file') })
  const text = await verifyFile(answering({ id: file.id, manifest: { number: '1' } }), file, CHAIN)
  expect(text?.code).toBe('forged_root')
})
