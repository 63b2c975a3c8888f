import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { JudgedFile } from './judged-file.ts'
import type { ThreatEntry } from './threat-entry.ts'

function entry(id: string, text: string): ThreatEntry {
  const removal = { file: 'some.ts', text, replacement: '' }
  return { id, defence: `defence ${text}`, removal, test: { file: 'some.test.ts', name: 'it holds' } }
}

test('a later run continues: seen entries are kept; changed ones and those not seen are judged again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-judged-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'new/judged.json')
  const [kept, changed, unseen] = [entry('T1', 'one'), entry('T1', 'two'), entry('I1', 'three')]
  const first = await JudgedFile.open(path, [kept, changed, unseen])
  expect(first.of([kept, changed, unseen])).toEqual([])
  await first.add({ ...kept, seen: true, says: 'expected', seconds: 1 })
  await first.add({ ...changed, seen: true, says: 'expected', seconds: 1 })
  await first.add({ ...unseen, seen: false, says: 'passes', seconds: 1 })
  expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveLength(3)

  const entries = [kept, { ...changed, removal: { ...changed.removal, text: 'other' } }, unseen]
  const second = await JudgedFile.open(path, entries)
  expect(entries.map((each) => second.of([each]).length)).toEqual([1, 0, 0])
})
