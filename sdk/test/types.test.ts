import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { endpoints } from '../../service/src/endpoints/index.ts'
import { openApi } from '../../service/src/http/openapi.ts'
import { apiFiles } from '../../tools/sdk/api-files.ts'
import { type ApiDocument, operationsOf } from '../../tools/sdk/operations.ts'
import { typeText } from '../../tools/sdk/type-text.ts'

const run = promisify(execFile)
const SDK = join(import.meta.dirname, '..')

const documentOf = (): ApiDocument => openApi(endpoints) as unknown as ApiDocument

/** Compiles a program against an SDK generated from the document; returns the errors of the compiler. */
async function compileErrors(program: string, document: ApiDocument): Promise<string> {
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
export async function spreads(id: string): Promise<number[]> {
  const { markets } = await client.markets.live({ crypto: 'BTC', form: 'declared' })
  const [described] = await client.markets.live({ crypto: 'BTC' })
  const { up, down } = await client.markets.orderbook(markets[0]?.tokens[0].token_id ?? described?.tokenIds[0] ?? id, { form: 'declared' })
  const levels: [number, number][] = [...(up.bids ?? []), ...(down.asks ?? [])]
  for await (const { side, depth5_bid } of client.snapshots.all(id, { form: 'declared' })) if (side === 'UP') levels.push([0, depth5_bid])
  return levels.map(([price]) => price)
}
`

test('a correct program compiles', async () => {
  expect(await compileErrors(PROGRAM, documentOf())).toBe('')
})

test('a program stops compiling when a member of a reply that it reads is renamed', async () => {
  const document = JSON.parse(JSON.stringify(documentOf()).replaceAll('"mid":', '"middle":')) as ApiDocument
  expect(apiFiles(document)['sdk/src/generated/api-types.ts']).not.toBe(
    apiFiles(documentOf())['sdk/src/generated/api-types.ts'],
  )
  expect(await compileErrors(PROGRAM, document)).toContain(`Property 'mid' does not exist on type 'TokenSnapshot'`)
})

test('the compiler rejects unknown parameters and values', async () => {
  const mistakes = [
    [`client.snapshots.list(id, { size: 1 })`, `'size' does not exist`],
    [`client.snapshots.list(id, { form: 'other' })`, `'"other"' is not assignable`],
    [`client.markets.live({ form: 'declared' }).then(([first]) => first)`, `DeclaredMarketList`],
    [`client.markets.orderbook(id).then(({ up }) => up.best_bid)`, `'best_bid' does not exist`],
    [`client.snapshots.list(id, { order: 'up' })`, `'"up"' is not assignable`],
    [`client.history.trades({})`, `Property 'marketId' is missing`],
    [`client.stream({ selectors: [{ coin: id }] })`, `Property 'timeframe' is missing`],
  ]
  const calls = mistakes.map(
    ([call], index) => `export const call${index} = (client: Bookreel, id: string): unknown => ${call}\n`,
  )
  const errors = await compileErrors(`import { Bookreel } from './index.ts'\n${calls.join('')}`, documentOf())
  const lines = errors.split('\n').filter((line) => line.includes('error TS'))
  expect(lines).toHaveLength(mistakes.length)
  for (const [, message = ''] of mistakes) expect(errors).toContain(message)
})

test('the generator rejects a kind of schema that it does not know', () => {
  expect(() => typeText({ type: 'tuple' })).toThrow('tuple')
})

test('a page with several lists names one of them as its path', () => {
  const document = documentOf()
  const path = '/v1/exchange/funding'
  expect(() => operationsOf(document)).not.toThrow()
  const moved = { '/v1/exchange/rates': document.paths[path] ?? {} }
  expect(() => operationsOf({ ...document, paths: moved })).toThrow(/rates: one list of the answer \(.*funding/)
})
