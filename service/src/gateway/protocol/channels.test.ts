import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHANNEL_FRAMES, Channel, channelKind } from './channels.ts'
import { ClientFrame, ServerFrame } from './protocol.ts'

test.each(Channel.options)('%s: clients may ask for it, and its frames are frames of the server', (name) => {
  const frame = { id: 1, op: 'subscribe', selectors: [{ coin: 'BTC', timeframe: '5m' }], channels: [name] }
  expect(ClientFrame.safeParse(frame).success).toBe(true)
  for (const [title, schema] of Object.entries(channelKind(name).frames)) {
    expect(CHANNEL_FRAMES[title]).toBe(schema)
    expect(ServerFrame.options).toContain(schema)
    expect(schema.shape.channel.value).toBe(name)
  }
})

test('every file of a channel is in the list', () => {
  const folder = new URL('../channels/', import.meta.url)
  const kinds = readdirSync(folder).filter((file) =>
    readFileSync(new URL(file, folder), 'utf8').includes(`export const ${file.replace('.ts', '')}Channel`),
  )
  expect(kinds).toEqual(Channel.options.map((name) => `${name}.ts`).toSorted())
})

test('a frame may not name more channels than there are', () => {
  const selectors = [{ coin: 'BTC', timeframe: '5m' }]
  for (const op of ['subscribe', 'unsubscribe', 'replay'])
    expect(
      ClientFrame.safeParse({ id: 1, op, selectors, from: 1, to: 2, channels: Array(9_000).fill('bbo') }).error?.issues,
    ).toContainEqual(expect.objectContaining({ code: 'too_big', path: ['channels'] }))
})
