import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { addFieldcheckCommand, type FieldcheckTools } from './fieldcheck.ts'
import { WrongUsage } from './wrong-usage.ts'

const NOWHERE = 'http://127.0.0.1:9'
const ADDRESSES = {
  POLYMARKET_GAMMA_URL: NOWHERE,
  POLYMARKET_CLOB_URL: NOWHERE,
} as Awaited<ReturnType<FieldcheckTools['readVenueAddresses']>>

test('a folder or file that can not be written is refused before the check begins', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-fieldcheck-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const run = async (...args: string[]): Promise<unknown> => {
    const program = new Command().exitOverride()
    const tools = { name: 'bookreel-server', print: () => {}, complain: () => {} }
    addFieldcheckCommand(program, { ...tools, readVenueAddresses: async () => ADDRESSES })
    return program.parseAsync(['fieldcheck', 'polymarket', ...args], { from: 'user' }).catch((error: unknown) => error)
  }
  writeFileSync(join(folder, 'file'), '')
  const noFolder = await run('--frames', join(folder, 'file', 'frames'))
  expect(noFolder).toBeInstanceOf(WrongUsage)
  expect(noFolder).toMatchObject({ message: expect.stringContaining('Choose another folder with --frames.') })
  const noFile = await run('--frames', folder, '--json', join(folder, 'none', 'report.json'))
  expect(noFile).toMatchObject({ message: expect.stringContaining('Choose another file with --json.') })
})
