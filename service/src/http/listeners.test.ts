import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { addListeners, requireFreePort, SHARED_PORT } from './listeners.ts'

test.runIf(process.platform === 'linux')(
  'a busy process accepts many connections in each iteration of the event loop',
  async () => {
    const server = createServer((_request, response) => void response.end('ok'))
    let accepted = 0
    server.on('connection', () => accepted++)
    await once(server.listen({ host: '127.0.0.1', port: 0, ...SHARED_PORT }), 'listening')
    const listeners = await addListeners(server)
    const { port } = server.address() as AddressInfo
    const sockets = Array.from({ length: 400 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await listeners.close()
    })
    // All connections wait in the queue of the operating system before the first is accepted.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    const perIteration: number[] = []
    while (accepted < sockets.length) {
      const before = accepted
      await new Promise((resolve) => setImmediate(resolve))
      if (accepted > before) perIteration.push(accepted - before)
    }
    // With a single listener it is one in each iteration.
    expect(perIteration.length).toBeLessThan(sockets.length / 4)
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect(await answer.text()).toBe('ok')
  },
)

test('a port that another process uses is refused', async () => {
  const other = createTcpServer()
  await once(other.listen({ host: '127.0.0.1', port: 0, ...SHARED_PORT }), 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  await expect(requireFreePort(port, '127.0.0.1')).rejects.toThrow('EADDRINUSE')
})
