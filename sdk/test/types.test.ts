import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { endpoints } from '../../service/src/endpoints/index.ts'
import { openApi } from '../../service/src/http/openapi.ts'
import { apiFiles } from '../../tools/sdk/api-files.ts'
import type { ApiDocument } from '../../tools/sdk/operations.ts'
import { typeText } from '../../tools/sdk/type-text.ts'

const run = promisify(execFile)
const SDK = join(import.meta.dirname, '..')

const documentOf = (): ApiDocument => openApi(endpoints) as unknown as ApiDocument

/** What the compiler says of somebody's program over the SDK with the types of that document; empty when all is well. */
async function complaintsAbout(program: string, document: ApiDocument): Promise<string> {
  const folder = await mkdtemp(join(SDK, '.types-'))
  try {
    await cp(join(SDK, 'src'), join(folder, 'src'), { recursive: true })
    for (const [file, text] of Object.entries(apiFiles(document)))
      await writeFile(join(folder, file.replace('sdk/', '')), text)
    await writeFile(join(folder, 'src', 'program.ts'), program)
    const config = {
      extends: '../tsconfig.build.json',
      compilerOptions: { noEmit: true, rootDir: '.' },
      include: ['src'],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await run('tsc', ['--project', join(folder, 'tsconfig.json')])
    return ''
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const PROGRAM = `
import { Bookreel } from './index.ts'
const client = new Bookreel({ baseUrl: 'http://localhost', key: 'k' })
export async function mids(id: string): Promise<number[]> {
  const all: number[] = []
  for await (const { mid } of client.snapshots.all(id, { from: new Date(), order: 'asc', limit: undefined })) all.push(mid)
  return all
}
`

test('a program that keeps to the interface compiles', async () => {
  expect(await complaintsAbout(PROGRAM, documentOf())).toBe('')
})

test('when a member of an answer is called otherwise, programs that read it stop compiling', async () => {
  const document = JSON.parse(JSON.stringify(documentOf()).replaceAll('"mid":', '"middle":')) as ApiDocument
  expect(apiFiles(document)['sdk/src/generated/api-types.ts']).not.toBe(
    apiFiles(documentOf())['sdk/src/generated/api-types.ts'],
  )
  expect(await complaintsAbout(PROGRAM, document)).toContain(`Property 'mid' does not exist on type 'TokenSnapshot'`)
})

test('what the interface does not have is noticed by the compiler', async () => {
  const mistakes = [
    [`client.snapshots.list(id, { form: 1 })`, `'form' does not exist`],
    [`client.snapshots.list(id, { order: 'up' })`, `'"up"' is not assignable`],
    [`client.history.trades({})`, `Property 'market' is missing`],
    [`client.stream({ selectors: [{ coin: id }] })`, `Property 'timeframe' is missing`],
  ]
  const calls = mistakes.map(
    ([call], index) => `export const ask${index} = (client: Bookreel, id: string): unknown => ${call}\n`,
  )
  const complaints = await complaintsAbout(`import { Bookreel } from './index.ts'\n${calls.join('')}`, documentOf())
  const lines = complaints.split('\n').filter((line) => line.includes('error TS'))
  expect(lines).toHaveLength(mistakes.length)
  for (const [, complaint = ''] of mistakes) expect(complaints).toContain(complaint)
})

test('a schema of a kind that the generator does not know is refused, not guessed', () => {
  expect(() => typeText({ type: 'tuple' })).toThrow('tuple')
})
