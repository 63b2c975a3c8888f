import { COMPILE_CACHE } from '../compile-cache.ts'
import { POOL_PORT } from './pool-messages.ts'
import { type PoolServer, startPoolServer } from './pool-server.ts'

let server: PoolServer | undefined

/** Vitest calls this once for each project; all projects share the pool of the first. */
export async function setup(): Promise<void> {
  Object.assign(process.env, COMPILE_CACHE)
  if (process.env[POOL_PORT] !== undefined) return
  server = await startPoolServer()
  process.env[POOL_PORT] = String(server.port)
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
  server = undefined
}
