import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openScratchFolder } from './scratch-folder.ts'

test('folders that killed processes have left are removed; folders in use and of others stay', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'scratch-test-'))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  const nowMs = Date.parse('2026-10-14T12:00:00Z')
  const leave = (name: string, folderAgeMs: number, fileAgeMs: number): string => {
    const folder = join(parent, name)
    const file = join(folder, 'part.parquet')
    mkdirSync(folder)
    writeFileSync(file, 'part')
    utimesSync(file, new Date(nowMs - fileAgeMs), new Date(nowMs - fileAgeMs))
    utimesSync(folder, new Date(nowMs - folderAgeMs), new Date(nowMs - folderAgeMs))
    return folder
  }
  const [minute, day] = [60_000, 86_400_000]
  const left = leave('bookreel-files-aB3dE6', day, day)
  const kept = [
    leave('bookreel-files-inUse1', day, minute),
    leave('bookreel-files-young2', minute, day),
    leave('bookreel-files-of-somebody', day, day),
    leave('exports', day, day),
  ]
  const own = await openScratchFolder(parent, nowMs)
  expect(basename(own)).toMatch(/^bookreel-files-/)
  expect(existsSync(left)).toBe(false)
  expect(kept.map(existsSync)).toEqual([true, true, true, true])
})
