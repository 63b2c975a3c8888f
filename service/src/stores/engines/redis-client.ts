import { createClient, createCluster, type RedisArgument, type TypeMapping } from '@redis/client'

export type RedisClient = ReturnType<typeof createNodeClient> | ReturnType<typeof createClusterClient>

const RECONNECT_STEP_MS = 50
const RECONNECT_MAX_MS = 1_000
const SILENCE_LIMIT_MS = 6_000
const PING_EVERY_MS = 2_000
/** A master that is lost for this long may have been replaced. */
const LOOK_FOR_NEW_MASTER_AFTER_MS = 1_000

/** Several addresses, separated by commas, are nodes of one cluster. */
export function createRedisClient(addresses: string): RedisClient {
  const urls = addresses.split(',')
  return urls.length === 1 ? createNodeClient(addresses) : createClusterClient(urls.map((url) => new URL(url)))
}

export function isCluster(client: RedisClient): client is ReturnType<typeof createClusterClient> {
  return 'nodeByAddress' in client
}

/** Sends a command to the node that has `key`. */
export function sendFor<Reply>(
  client: RedisClient,
  key: string,
  command: readonly RedisArgument[],
  options: { typeMapping?: TypeMapping } = {},
): Promise<Reply> {
  return isCluster(client)
    ? client.sendCommand<Reply>(key, false, [...command], options)
    : client.sendCommand<Reply>(command, options)
}

/**
 * The items that one script or command may handle together. A cluster accepts only keys of one hash slot, which are
 * those with the same hash tag.
 */
export function inOneSlot<Item>(
  isOfCluster: boolean,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): (readonly Item[])[] {
  if (!isOfCluster) return [items]
  return [...Map.groupBy(items, (item) => hashTagIn(keyOf(item))).values()]
}

function hashTagIn(key: string): string {
  return key.slice(key.indexOf('{') + 1, key.indexOf('}'))
}

const QUICK = {
  disableOfflineQueue: true,
  disableClientInfo: true,
  maintNotifications: 'disabled',
  pingInterval: PING_EVERY_MS,
} as const
const QUICK_SOCKET = {
  socketTimeout: SILENCE_LIMIT_MS,
  reconnectStrategy: (retries: number) => Math.min((retries + 1) * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
}

function createNodeClient(url: string) {
  return createClient({ ...QUICK, url, commandOptions: { timeout: 0 }, socket: QUICK_SOCKET })
}

/** All nodes have the same users, so the login of the first address is used for each of them. */
function createClusterClient(urls: readonly URL[]) {
  const [first] = urls
  const rootNodes = urls.map(({ hostname, port }) => ({ socket: { host: hostname, port: Number(port || 6379) } }))
  return createCluster({
    rootNodes,
    commandOptions: { timeout: 0 },
    topologyRefreshOnReconnectionAttemptStrategy: LOOK_FOR_NEW_MASTER_AFTER_MS,
    defaults: {
      ...QUICK,
      ...(first?.username && { username: decodeURIComponent(first.username) }),
      ...(first?.password && { password: decodeURIComponent(first.password) }),
      socket: { ...QUICK_SOCKET, ...(first?.protocol === 'rediss:' && { tls: true }) },
    },
  })
}
