const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|)$/

export interface EngineSettings {
  readonly CLICKHOUSE_URL: string
  readonly CLICKHOUSE_SHARD_URLS?: string | undefined
  readonly NATS_URL: string
  readonly DATABASE_URL: string
  readonly REDIS_URL: string
  readonly OBJECT_STORE_ENDPOINT?: string | undefined
}

/** A sentence for each engine on another machine whose address does not ask for TLS. */
export function plainEngines(settings: EngineSettings): string[] {
  const {
    CLICKHOUSE_URL,
    CLICKHOUSE_SHARD_URLS,
    NATS_URL,
    DATABASE_URL,
    REDIS_URL,
    OBJECT_STORE_ENDPOINT: storage = '',
  } = settings
  const shards = CLICKHOUSE_SHARD_URLS?.split(',') ?? []
  return [
    ...[CLICKHOUSE_URL, ...shards]
      .filter((url) => isRemote(url) && !url.startsWith('https:'))
      .map((url) => `ClickHouse at ${hostOf(url)} is not encrypted. Use an https address.`),
    ...NATS_URL.split(',')
      .filter((url) => isRemote(url) && !url.startsWith('tls:'))
      .map((url) => `NATS at ${hostOf(url)} is not encrypted. Use an address that starts with tls://.`),
    ...(isRemote(DATABASE_URL) && new URL(DATABASE_URL).searchParams.get('sslmode') !== 'verify-full'
      ? [`PostgreSQL at ${hostOf(DATABASE_URL)} is not encrypted. Add ?sslmode=verify-full to DATABASE_URL.`]
      : []),
    ...REDIS_URL.split(',')
      .filter((url) => isRemote(url) && !url.startsWith('rediss:'))
      .map((url) => `Redis at ${hostOf(url)} is not encrypted. Use an address that starts with rediss://.`),
    ...(isRemote(storage) && !storage.startsWith('https:')
      ? [`Object storage at ${hostOf(storage)} is not encrypted. Use an https address.`]
      : []),
  ]
}

function isRemote(url: string): boolean {
  return !LOOPBACK.test(hostOf(url))
}

/** An address without a host is a socket on this machine; NATS also accepts `host:port`. */
function hostOf(url: string): string {
  return url.includes('://') ? new URL(url).hostname : (url.split(':')[0] ?? '')
}
