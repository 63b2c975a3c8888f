import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { VenueHttp } from './venue-http.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const LIMITS = { tries: 2, firstWaitMs: 1, maxBytes: 1_000 }
const never = new AbortController().signal

test('a redirect to another host is not followed', async () => {
  let visits = 0
  const other = await serve((_request, answer) => {
    visits++
    answer.end('secret')
  })
  const venue = await serve((_request, answer) => void answer.writeHead(302, { location: other }).end())
  await expect(new VenueHttp(venue, LIMITS).get('/books', never)).rejects.toThrow('/books')
  expect(visits).toBe(0)
})

test('an answer that is too long is a failure', async () => {
  const venue = await serve(({ url }, answer) => void answer.end('x'.repeat(url === '/long' ? 1_001 : 1_000)))
  const http = new VenueHttp(venue, LIMITS)
  expect(await http.get('/books', never)).toHaveLength(1_000)
  await expect(http.get('/long', never)).rejects.toThrow('more than 1000 bytes, 2 times')
})
