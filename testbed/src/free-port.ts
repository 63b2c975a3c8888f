import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that Linux gives to outgoing connections, which would take a port before the caller listens on it. */
const FIRST = 10_000
const END = 32_768
const ATTEMPTS = 100

/** A port that is free now, and that only another call of this function would take. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, END)
    const server = createServer()
    if (!(await canListen(server, port, host))) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`no free port between ${FIRST} and ${END} was found on ${host}`)
}

async function canListen(server: Server, port: number, host: string): Promise<boolean> {
  try {
    await once(server.listen(port, host), 'listening')
    return true
  } catch {
    return false
  }
}
