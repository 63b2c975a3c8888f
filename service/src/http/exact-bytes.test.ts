import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { exactBytes } from './exact-bytes.ts'

interface Read {
  readonly text: string
  readonly failure: string | undefined
  readonly broken: string | undefined
}

/** Reads a source that sends its parts one after the other, each after its reader had time for the one before. */
async function readAll(parts: readonly string[], expected: number): Promise<Read> {
  async function* slowly(): AsyncGenerator<Buffer> {
    for (const part of parts) {
      yield Buffer.from(part)
      await nextTurn()
    }
  }
  let broken: string | undefined
  let text = ''
  try {
    const exact = exactBytes(Readable.from(slowly()), expected, ({ message }) => {
      broken = message
    })
    for await (const part of exact) text += String(part)
    return { text, failure: undefined, broken }
  } catch (error) {
    await nextTurn()
    return { text, failure: (error as Error).message, broken }
  }
}

test('as many bytes as announced are passed on, also in pieces without bytes and without any byte', async () => {
  const whole = (text: string) => ({ text, failure: undefined, broken: undefined })
  expect(await readAll(['ab', 'cd'], 4)).toEqual(whole('abcd'))
  expect(await readAll(['ab', '', 'cd', ''], 4)).toEqual(whole('abcd'))
  expect(await readAll([], 0)).toEqual(whole(''))
})

test('fewer bytes are an error', async () => {
  const problem = 'object storage sent 2 of the 4 bytes of the file'
  expect(await readAll(['ab'], 4)).toEqual({ text: 'ab', failure: problem, broken: problem })
})

test.each([[['ab', 'cd', 'e']], [['ab', 'cde']]])(
  'of %j a reader never gets all four announced bytes',
  async (parts) => {
    const problem = 'object storage sent more than the 4 bytes of the file'
    expect(await readAll(parts, 4)).toEqual({ text: 'ab', failure: problem, broken: problem })
  },
)
