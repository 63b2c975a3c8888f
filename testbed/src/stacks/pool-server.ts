import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { FromPool, ToPool } from './pool-messages.ts'
import { StackPool } from './stack-pool.ts'

export interface PoolServer extends AsyncDisposable {
  readonly port: number
}

/** Lends a stack to each connection until that connection closes, however its process ends. */
export async function startPoolServer(): Promise<PoolServer> {
  const pool = new StackPool()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    void lend(pool, socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await pool[Symbol.asyncDispose]()
    },
  }
}

async function lend(pool: StackPool, socket: Socket): Promise<void> {
  const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  try {
    const pooled = await pool.borrow()
    const { stack } = pooled
    const reply = (ticket: number, failure?: unknown): void => {
      const message: FromPool = { ticket, dir: stack.dir, record: stack.record }
      const reason = failure instanceof Error ? String(failure) : JSON.stringify(failure)
      send(failure === undefined ? message : { ...message, failure: reason })
    }
    let acting: Promise<unknown> = Promise.resolve()
    createInterface({ input: socket }).on('line', (line) => {
      const { ticket, engine, action } = JSON.parse(line) as ToPool
      const acted = pool.act(pooled, engine, action).then(
        () => reply(ticket),
        (error: unknown) => reply(ticket, error),
      )
      acting = Promise.all([acting, acted])
    })
    reply(0)
    await closed
    await acting
    pool.giveBack(pooled)
  } catch (error) {
    send({ ticket: 0, failure: String(error) })
    socket.end()
  }
}
