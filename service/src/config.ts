import { z } from 'zod'

const address = z.url()
const port = z.coerce.number().int().min(0).max(65_535)

/** Every setting, read once at start. What nobody would change is a constant beside its use, not a setting. */
export const ConfigSchema = z.object({
  CLICKHOUSE_URL: address.describe('HTTP address of ClickHouse'),
  CLICKHOUSE_USER: z.string().describe('its user that may write'),
  CLICKHOUSE_PASSWORD: z.string().describe('and the password'),
  CLICKHOUSE_READER_USER: z
    .string()
    .optional()
    .describe('its user that only reads, for answers; the other one if none'),
  CLICKHOUSE_READER_PASSWORD: z.string().optional().describe('and the password'),
  CLICKHOUSE_DATABASE: z.string().default('bookreel').describe('the database, which must exist'),
  CLICKHOUSE_CLUSTER: z.string().optional().describe('name of the cluster when there are several shards'),
  CLICKHOUSE_SHARD_URLS: z.string().optional().describe('addresses of all shards with commas, for the migrations'),
  CLICKHOUSE_LAYOUT: z
    .enum(['single', 'sharded', 'replicated'])
    .default('single')
    .describe('which form of the tables to make'),
  NATS_URL: z.string().describe('address of NATS with JetStream'),
  NATS_USER: z.string().optional().describe('its user'),
  NATS_PASSWORD: z.string().optional().describe('and the password'),
  DATABASE_URL: z.string().describe('PostgreSQL, with user and password'),
  REDIS_URL: z.string().describe('Redis, with the password'),
  KEY_PEPPER: z
    .string()
    .min(32)
    .optional()
    .describe('secret that stored API keys are hashed with, kept outside the database; whatever checks keys needs it'),
  KEY_PEPPER_FORMER: z
    .string()
    .min(32)
    .optional()
    .describe('the one before it, while keys still move over; each does when it is used'),
  NODE_COUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(1)
    .describe('how many processes serve requests: while Redis is away each lets through its share of a rate'),
  POLYMARKET_GAMMA_URL: address.default('https://gamma-api.polymarket.com').describe('catalogue of Polymarket'),
  POLYMARKET_CLOB_URL: address.default('https://clob.polymarket.com').describe('its order books over REST'),
  POLYMARKET_SOCKET_URL: address
    .default('wss://ws-subscriptions-clob.polymarket.com/ws/market')
    .describe('its market WebSocket'),
  HYPERLIQUID_INFO_URL: address.default('https://api.hyperliquid.xyz/info').describe('Hyperliquid over REST'),
  HYPERLIQUID_SOCKET_URL: address.default('wss://api.hyperliquid.xyz/ws').describe('its WebSocket'),
  BINANCE_SOCKET_URL: address.default('wss://data-stream.binance.vision').describe('spot prices'),
  SHARDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1024)
    .default(8)
    .describe('into how many parts the markets are divided; never change it'),
  STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(10_000_000_000)
    .describe('how much the bus may hold while ClickHouse is away'),
  EMISSION_LOG: z
    .string()
    .optional()
    .describe('a file that capture appends every acknowledged row to, for a checker that trusts nothing else'),
  FRAME_DUMP_DIR: z
    .string()
    .optional()
    .describe('a folder where capture keeps the last minute of a socket when a book was wrong or a frame unknown'),
  FRAME_DUMP_FILES: z.coerce.number().int().min(1).default(100).describe('how many such files are kept'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('address that the API listens on'),
  HTTP_PORT: port.default(8080).describe('and its port; 0 for any that is free'),
  GATEWAY_PORT: port.default(8081).describe('port of the role gateway, on the same address; 0 for any that is free'),
  STREAM_IN_API: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('whether the API serves streams too, at its own address; false where gateways do'),
  STREAM_RING_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(268_435_456)
    .describe('how much of the last minutes streams keep in memory, for clients that come back'),
  PROBE_URL: address
    .optional()
    .describe('where the prober finds the API, best as users do; without it HTTP_PORT on this machine'),
  REQUIRE_HTTPS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('whether plain HTTP is refused, as told by a trusted proxy; true in production'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((each) => each !== ''))
    .describe('addresses of proxies whose word on protocol and caller counts, with commas'),
  PUBLIC_URL: address
    .optional()
    .describe('where browsers find us, such as https://data.example.com; http only on this machine'),
  MCP_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((each) => each !== ''))
    .describe('names of hosts under which /mcp may be asked, with commas; this machine and that of PUBLIC_URL always'),
  OIDC_ISSUER: address
    .optional()
    .describe('OpenID provider that people sign in with; without it and the next two nobody can'),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('our name there; PUBLIC_URL/auth/callback is where it returns'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('and our secret'),
  PAYMENT_PROCESSOR: z
    .enum(['none', 'nowpayments', 'btcpay'])
    .default('none')
    .describe('who makes new invoices; any other that is configured is still listened to. Needs PUBLIC_URL'),
  NOWPAYMENTS_URL: address.default('https://api.nowpayments.io/v1').describe('NOWPayments, with the version'),
  NOWPAYMENTS_API_KEY: z.string().min(1).optional().describe('our key there'),
  NOWPAYMENTS_IPN_SECRET: z.string().min(16).optional().describe('what it signs its callbacks with'),
  NOWPAYMENTS_IPN_SECRET_FORMER: z.string().min(16).optional().describe('the one before it, while it still counts'),
  BTCPAY_URL: address.optional().describe('a BTCPay server'),
  BTCPAY_STORE_ID: z.string().min(1).optional().describe('our store there'),
  BTCPAY_API_KEY: z.string().min(1).optional().describe('a key that may make and read its invoices'),
  BTCPAY_WEBHOOK_SECRET: z
    .string()
    .min(16)
    .optional()
    .describe('of the webhook of the store, which goes to PUBLIC_URL/v1/payments/callbacks/btcpay'),
  BTCPAY_WEBHOOK_SECRET_FORMER: z.string().min(16).optional().describe('the one before it, while it still counts'),
  EXPORT_DIR: z
    .string()
    .optional()
    .describe(
      'a folder that keeps files of finished hours once they were made; without it a temporary one of this process',
    ),
  EXPORT_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(5_000_000_000)
    .describe('how much may be in it; what was used longest ago goes first'),
  METRICS_PORT: port.default(0).describe('where Prometheus finds this process; 0 for nowhere'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('what is worth a line'),
})

export type Config = z.infer<typeof ConfigSchema>

/** Throws one readable error that names every setting that is missing or wrong. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const read = ConfigSchema.safeParse(environment)
  if (read.success) return read.data
  throw new Error(`The settings can't be used:\n${z.prettifyError(read.error)}`)
}

/** A setting for people: name, what it is when not given, what it means. Passwords have no default to show. */
export function describeConfig(): { name: string; usual: string; meaning: string }[] {
  return Object.entries(ConfigSchema.shape).map(([name, schema]) => {
    const usual = z.safeParse(schema, undefined)
    const text = usual.success ? (usual.data === undefined ? 'none' : String(usual.data)) : 'required'
    return { name, usual: text, meaning: schema.description ?? '' }
  })
}
