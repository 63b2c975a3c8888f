import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine, PlanningContext, Program } from './engine.ts'
import { exchange } from './exchange.ts'

export interface RedisPlan {
  readonly kind: 'redis'
  readonly id: 'redis'
  readonly folder: string
  readonly program: Program
  readonly port: number
  readonly password: string
  readonly otherUsers: readonly string[]
}

export async function planRedis({ dir, users, ports, programs, newPassword }: PlanningContext): Promise<RedisPlan> {
  if (!programs.redisServer) throw new Error('redis-server was not located')
  return {
    kind: 'redis',
    id: 'redis',
    folder: join(dir, 'redis'),
    program: programs.redisServer,
    port: await ports.take(),
    password: newPassword(),
    otherUsers: users?.redis ?? [],
  }
}

export function redis({ folder, program, port, password, otherUsers }: RedisPlan): Engine {
  const configFile = join(folder, 'redis.conf')
  const dataFolder = join(folder, 'data')
  return {
    address: `redis://127.0.0.1:${port}`,
    variables: { REDIS_URL: `redis://:${password}@127.0.0.1:${port}` },
    command: { program, args: [configFile] },
    stopBy: 'SIGTERM',

    async prepare() {
      await mkdir(dataFolder, { recursive: true })
      // The append-only file is written before each reply, so a restarted engine still has its data.
      const config = [
        'bind 127.0.0.1',
        `port ${port}`,
        `requirepass ${password}`,
        `dir ${JSON.stringify(dataFolder)}`,
        'save ""',
        'appendonly yes',
        'appendfsync everysec',
        'maxmemory 1gb',
        // Beyond it, keys that expire anyway are dropped, the one that expires next first.
        'maxmemory-policy volatile-ttl',
        ...otherUsers,
      ]
      await writeFile(configFile, `${config.join('\n')}\n`, { mode: 0o600 })
    },

    async probe(signal) {
      const reply = await exchange(
        port,
        `AUTH ${password}\r\nPING\r\n`,
        (text) => text.split('\r\n').length > 2,
        signal,
      )
      if (reply !== '+OK\r\n+PONG\r\n') throw new Error(`Redis answered ${reply.trim()}`)
    },
  }
}
