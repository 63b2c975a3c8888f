/** Connects to the engines of its arguments (NATS, PostgreSQL, Redis) with the code of the service, and prints what each says. */
import { sql } from 'kysely'
import { connectBus } from '../../src/bus/connect.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'

const [NATS_URL = '', DATABASE_URL = '', REDIS_URL = ''] = process.argv.slice(2)
const ANSWERS_WITHIN_MS = 15_000

async function askNats(): Promise<string> {
  const connection = await connectBus({ url: NATS_URL, user: '', password: '' }, 'test')
  try {
    await connection.flush()
    return 'ok'
  } finally {
    await connection.close()
  }
}

async function askPostgres(): Promise<string> {
  const database = openDatabase({ url: DATABASE_URL, maxConnections: 1 })
  try {
    const { rows } = await sql<{ ssl: boolean }>`
      SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(database)
    return rows[0]?.ssl ? 'ok' : 'not encrypted'
  } finally {
    await database.destroy()
  }
}

async function askRedis(): Promise<string> {
  const trouble = Promise.withResolvers<string>()
  await using redis = new RedisConnection({
    url: REDIS_URL,
    answerWithinMs: ANSWERS_WITHIN_MS,
    onTrouble: (error) => trouble.resolve(error.message),
  })
  const ready = (async () => {
    while (!redis.isReady) await new Promise((resolve) => setTimeout(resolve, 20))
    return (await redis.ask((client) => client.ping())) === 'PONG' ? 'ok' : 'no answer'
  })()
  return await Promise.race([ready, trouble.promise])
}

/** A client that tries again and again is not connected either. */
const late = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, ANSWERS_WITHIN_MS, 'not connected'))
const told = (error: unknown): string => (error instanceof Error ? error.message : JSON.stringify(error))
const [nats, postgres, redis] = await Promise.all([
  Promise.race([askNats().catch(told), late()]),
  Promise.race([askPostgres().catch(told), late()]),
  Promise.race([askRedis().catch(told), late()]),
])
process.stdout.write(JSON.stringify({ nats, postgres, redis }), () => process.exit(0))
