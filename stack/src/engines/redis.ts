import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine, PlanningContext, Program } from './engine.ts'
import { exchange } from './exchange.ts'

/** One master of a cluster. */
export interface RedisNode {
  readonly nodeId: string
  readonly port: number
  readonly busPort: number
}

export interface RedisPlan {
  readonly kind: 'redis'
  readonly id: 'redis' | `redis-${number}`
  readonly folder: string
  readonly program: Program
  readonly port: number
  readonly password: string
  readonly otherUsers: readonly string[]
  /** All masters of its cluster; left out for a single Redis. */
  readonly cluster?: readonly RedisNode[]
}

const HASH_SLOTS = 16_384

/** More than one node makes a cluster of masters. */
export async function planRedis(context: PlanningContext, count: number): Promise<RedisPlan[]> {
  const { dir, users, ports, programs, newPassword } = context
  if (!programs.redisServer) throw new Error('redis-server was not located')
  const nodes: RedisNode[] = []
  for (let node = 1; node <= count; node++) {
    const nodeId = randomBytes(20).toString('hex')
    nodes.push({ nodeId, port: await ports.take(), busPort: count > 1 ? await ports.take() : 0 })
  }
  const shared = {
    kind: 'redis',
    program: programs.redisServer,
    password: newPassword(),
    otherUsers: users?.redis ?? [],
    ...(count > 1 && { cluster: nodes }),
  } as const
  return nodes.map(({ port }, index) => {
    const id = index === 0 ? 'redis' : (`redis-${index + 1}` as const)
    return { ...shared, id, folder: join(dir, id), port }
  })
}

export function redis({ id, folder, program, port, password, otherUsers, cluster }: RedisPlan): Engine {
  const addresses = (cluster ?? [{ port }]).map((node) => `redis://:${password}@127.0.0.1:${node.port}`)
  const configFile = join(folder, 'redis.conf')
  const dataFolder = join(folder, 'data')
  return {
    address: `redis://127.0.0.1:${port}`,
    variables: id === 'redis' ? { REDIS_URL: addresses.join(',') } : {},
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
        // Beyond it, keys that expire anyway are dropped, the one that expires next first: marks of revoked keys last.
        'maxmemory-policy volatile-ttl',
        ...(cluster ? clusterConfig(cluster, port) : []),
        ...otherUsers,
      ]
      if (cluster) await writeFile(join(dataFolder, NODES_FILE), clusterNodes(cluster, port))
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
      if (cluster) await requireWhole(port, password, signal)
    },
  }
}

const NODES_FILE = 'nodes.conf'

function clusterConfig(cluster: readonly RedisNode[], port: number): string[] {
  const busPort = cluster.find((node) => node.port === port)?.busPort
  return ['cluster-enabled yes', `cluster-config-file ${NODES_FILE}`, `cluster-port ${busPort}`]
}

/** What each node would store after `CLUSTER MEET` and `CLUSTER ADDSLOTS`, so the cluster exists from the first start. */
function clusterNodes(cluster: readonly RedisNode[], port: number): string {
  const lines = cluster.map((node, index) => {
    const [from, until] = [index, index + 1].map((each) => Math.round((each * HASH_SLOTS) / cluster.length))
    const flags = node.port === port ? 'myself,master' : 'master'
    return `${node.nodeId} 127.0.0.1:${node.port}@${node.busPort} ${flags} - 0 0 ${index + 1} connected ${from}-${(until ?? 0) - 1}`
  })
  return `${lines.join('\n')}\nvars currentEpoch ${cluster.length} lastVoteEpoch 0\n`
}

/** Rejects while a node waits for the others. */
async function requireWhole(port: number, password: string, signal: AbortSignal): Promise<void> {
  const isComplete = (text: string): boolean => text.includes('cluster_size:')
  const reply = await exchange(port, `AUTH ${password}\r\nCLUSTER INFO\r\n`, isComplete, signal)
  if (!reply.includes('cluster_state:ok')) throw new Error('The Redis cluster is not whole yet')
}
