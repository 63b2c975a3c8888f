import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { COMPILE_CACHE } from '../compile-cache.ts'
import { POOL_PORT } from './pool-messages.ts'
import { type PoolServer, startPoolServer } from './pool-server.ts'
import { WORLD_DIR } from './world-dir.ts'

let server: PoolServer | undefined
let worldDir: string | undefined

/** Vitest calls this once for each project; all projects share the pool of the first. */
export async function setup(): Promise<void> {
  Object.assign(process.env, COMPILE_CACHE)
  if (process.env[POOL_PORT] !== undefined) return
  server = await startPoolServer()
  process.env[POOL_PORT] = String(server.port)
  worldDir = await mkdtemp(join(tmpdir(), 'bookreel-world-'))
  process.env[WORLD_DIR] = worldDir
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
  server = undefined
  if (worldDir !== undefined) await rm(worldDir, { recursive: true })
  worldDir = undefined
}
