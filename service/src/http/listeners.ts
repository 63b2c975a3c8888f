import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'

const LISTENERS = 16
const BACKLOG = 1_024

/** Spread for `listen`: lets further listeners use the same port. Other systems don't share connections among them. */
export const SHARED_PORT = process.platform === 'linux' ? { reusePort: true, backlog: BACKLOG } : {}

export interface MoreListeners {
  /** Accepts no more connections; resolves when those that it accepted have ended. */
  close(): Promise<void>
}

/** Throws EADDRINUSE when another process listens on the port, which a shared port would hide. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

/**
 * Opens more listeners on the port of a server that listens with `SHARED_PORT`. In each iteration of the event loop
 * Node.js accepts one connection per listener; with a single listener, a flood of connections to a busy process fills the
 * queue of the operating system, and customers wait seconds to connect.
 */
export async function addListeners(server: Server): Promise<MoreListeners> {
  if (SHARED_PORT.reusePort === undefined) return { close: async () => {} }
  const { address: host, port } = server.address() as AddressInfo
  const listeners = await Promise.all(
    Array.from({ length: LISTENERS - 1 }, async () => {
      // The same options as those of an HTTP server.
      const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        server.emit('connection', socket)
      })
      await once(listener.listen({ host, port, ...SHARED_PORT }), 'listening')
      return listener
    }),
  )
  return {
    async close() {
      await Promise.all(listeners.map((each) => new Promise((resolve) => each.close(resolve))))
    },
  }
}
