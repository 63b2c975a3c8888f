import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/**
 * Ports are chosen below the kernel's range for outgoing connections, so that no other connection gets the port of an
 * engine while it restarts. A claim is an abstract Unix socket, held until the supervisor ends: two stacks never
 * choose the same port, even before their engines listen, and a killed supervisor leaves no claim behind.
 */
const LOWEST_PORT = 15_000
const DEFAULT_FIRST_OUTGOING_PORT = 32_768

export class PortClaims {
  readonly #claims: Server[] = []

  async take(): Promise<number> {
    for (let attempt = 0; attempt < 500; attempt++) {
      const port = randomInt(LOWEST_PORT, portLimit())
      const claim = await listen({ path: `\0bookreel-stack-port-${port}` })
      if (!claim) continue
      const listener = await listen({ port, host: '127.0.0.1' })
      if (!listener) {
        claim.close()
        continue
      }
      await new Promise((resolve) => listener.close(resolve))
      this.#claims.push(claim.unref())
      return port
    }
    throw new Error('No free port found on 127.0.0.1 after 500 attempts')
  }
}

function portLimit(): number {
  const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  const firstOutgoing = Number(range.split(/\s/)[0])
  return firstOutgoing > LOWEST_PORT + 1_000 ? firstOutgoing : DEFAULT_FIRST_OUTGOING_PORT
}

function listen(address: { path: string } | { port: number; host: string }): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(address, () => resolve(server))
  })
}
