import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { READING_LIMITS, SlowReaders } from './slow-readers.ts'

/** More than the operating system buffers for a connection, sent in one piece. */
const LARGE = Buffer.alloc(32 * 1024 * 1024)
const { unreadSeconds, minBytesPerSecond } = READING_LIMITS

/** A reader that reads only when the test says so, and an answer that began to wait for it. */
async function scene(handler: RequestListener) {
  const readers = new SlowReaders(READING_LIMITS, (socket) => socket.destroy())
  let ofServer: Socket | undefined
  const server = createServer((request, response) => {
    ofServer = request.socket
    readers.add(response)
    handler(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    reader.destroy()
    server.closeAllConnections()
    server.close()
  })
  reader.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const isWaiting = (): void => expect(ofServer?.writableLength).toBeGreaterThan(0)
  return {
    readers,
    reader,
    isWaiting: () => vi.waitFor(isWaiting, { timeout: 60_000 }),
    isCut: () => ofServer?.destroyed === true,
  }
}

/** About 64 KiB. */
async function readSome(reader: Socket): Promise<number> {
  const read = (): Buffer => {
    const part = reader.read() as Buffer | null
    if (part === null) throw new Error('nothing has arrived yet')
    return part
  }
  return (await vi.waitFor(read, { timeout: 60_000, interval: 1 })).length
}

test('a reader has 30 seconds, and one for each 16 KiB that it has read', async () => {
  const { readers, reader, isWaiting, isCut } = await scene((_, response) => void response.end(LARGE))
  await isWaiting()
  let seconds = 0
  while (!isCut() && seconds < 10_000) {
    readers.sweep()
    seconds++
  }
  let readBytes = 0
  for await (const part of reader.resume()) readBytes += (part as Buffer).length
  const allowed = unreadSeconds + readBytes / minBytesPerSecond
  expect(readBytes).toBeLessThan(LARGE.length)
  expect(seconds).toBe(Math.floor(allowed) + 1)
})

test('who reads a little now and then gets no time for what is left', async () => {
  const { readers, reader, isWaiting, isCut } = await scene((_, response) => void response.end(LARGE))
  await isWaiting()
  const most = unreadSeconds + LARGE.length / minBytesPerSecond
  let seconds = 0
  while (!isCut() && seconds < most) {
    if (seconds % 20 === 0) await readSome(reader)
    readers.sweep()
    seconds++
  }
  expect(seconds).toBeLessThan(most)
})

test('who reads 16 KiB a second is served to the end', async () => {
  const { readers, reader, isCut } = await scene((_, response) => void response.end(LARGE))
  let readBytes = 0
  while (readBytes < LARGE.length) {
    readBytes += await readSome(reader)
    readers.sweep()
  }
  expect(isCut()).toBe(false)
})

test('while the service itself is slow, the time of its reader does not run', async () => {
  const { readers, reader, isCut } = await scene((_, response) => void response.write('a'))
  await once(reader, 'readable')
  for (let second = 0; second < 100; second++) readers.sweep()
  expect(isCut()).toBe(false)
})
