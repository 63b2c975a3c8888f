import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ClickHousePlan, serverConfig, usersConfig } from './clickhouse-config.ts'
import type { Engine, PlanningContext } from './engine.ts'

export async function planClickHouse(context: PlanningContext, shards: number): Promise<ClickHousePlan[]> {
  const { dir, users, ports, newPassword } = context
  const httpPorts: number[] = []
  const tcpPorts: number[] = []
  for (let shard = 1; shard <= shards; shard++) {
    httpPorts.push(await ports.take())
    tcpPorts.push(await ports.take())
  }
  const shared = {
    kind: 'clickhouse',
    database: 'bookreel',
    writer: { user: 'bookreel', password: newPassword() },
    reader: { user: 'bookreel_reader', password: newPassword() },
    otherUsers: users?.clickhouse,
    cluster: { name: 'bookreel', secret: newPassword(), httpPorts, tcpPorts },
  } as const
  return httpPorts.map((httpPort, index) => {
    const id = index === 0 ? 'clickhouse' : (`clickhouse-${index + 1}` as const)
    return { ...shared, id, folder: join(dir, id), httpPort, tcpPort: tcpPorts[index] ?? 0, shard: index + 1 }
  })
}

export function clickhouse(plan: ClickHousePlan): Engine {
  const { folder, httpPort, database, writer } = plan
  // An absolute path: with a relative one the engine cannot sync the folders of its parts.
  const dataFolder = join(folder, 'data')
  const configFile = join(folder, 'config.xml')
  const usersFile = join(folder, 'users.xml')
  const launcher = fileURLToPath(new URL('./clickhouse-launcher.ts', import.meta.url))
  const address = `http://127.0.0.1:${httpPort}`

  async function query(sql: string, signal: AbortSignal): Promise<void> {
    const headers = { 'X-ClickHouse-User': writer.user, 'X-ClickHouse-Key': writer.password, Connection: 'close' }
    const response = await fetch(address, { method: 'POST', body: sql, headers, signal })
    const answer = await response.text()
    if (!response.ok) throw new Error(`ClickHouse answered ${response.status}: ${answer}`)
  }

  return {
    address,
    variables: plan.shard === 1 ? variables(plan) : {},
    command: { program: { path: process.execPath }, args: [launcher, configFile, dataFolder] },
    stopBy: 'closing stdin',

    async prepare() {
      await mkdir(join(folder, 'backups'), { recursive: true })
      await mkdir(dataFolder)
      await writeFile(configFile, serverConfig(plan, usersFile), { mode: 0o600 })
      await writeFile(usersFile, usersConfig(plan), { mode: 0o600 })
      if (plan.otherUsers === undefined) return
      await mkdir(join(folder, 'users.d'))
      await writeFile(join(folder, 'users.d', 'others.xml'), plan.otherUsers, { mode: 0o600 })
    },

    async probe(signal) {
      await query('SELECT 1', signal)
    },

    async afterFirstStart() {
      await query(`CREATE DATABASE ${database} ENGINE = Atomic`, AbortSignal.timeout(60_000))
    },
  }
}

function variables({ httpPort, database, writer, reader, cluster }: ClickHousePlan): Record<string, string> {
  return {
    CLICKHOUSE_URL: `http://127.0.0.1:${httpPort}`,
    CLICKHOUSE_USER: writer.user,
    CLICKHOUSE_PASSWORD: writer.password,
    CLICKHOUSE_READER_USER: reader.user,
    CLICKHOUSE_READER_PASSWORD: reader.password,
    CLICKHOUSE_DATABASE: database,
    CLICKHOUSE_CLUSTER: cluster.name,
    CLICKHOUSE_SHARD_URLS: cluster.httpPorts.map((port) => `http://127.0.0.1:${port}`).join(','),
  }
}
