import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { z } from 'zod'
import { CAPTURE_SETTINGS } from './capture-settings.ts'
import { LOOPBACK_HOSTS } from './domain/loopback.ts'
import { plainEngines } from './domain/plain-engines.ts'
import { checkValue } from './domain/value-problems.ts'
import { PROCESSOR_NAMES, PROCESSOR_SECRETS, PROCESSOR_SETTINGS } from './payments/all-processors.ts'
import { SIGN_IN_SETTINGS } from './sign-in-settings.ts'
import { VENUE_SECRETS, VENUE_SETTINGS } from './venue-registry.ts'

const address = z.url()
const retentionDays = z.coerce.number().int().min(0).max(36_500).optional()
const port = z.coerce.number().int().min(0).max(65_535)
const NO_PROXY_LIST =
  'must be addresses or networks such as 10.0.0.5,10.1.0.0/16, with a prefix length of 1 to 32 (IPv6: 1 to 128)'

/** Every setting, read once at start. Values that no operator needs to change are constants in the code. */
export const ConfigSchema = z.object({
  CLICKHOUSE_URL: address.describe('HTTP address of ClickHouse'),
  CLICKHOUSE_USER: z.string().describe('ClickHouse user with write access'),
  CLICKHOUSE_PASSWORD: z.string().describe('ClickHouse password'),
  CLICKHOUSE_READER_USER: z
    .string()
    .optional()
    .describe('ClickHouse user with read access only, for API requests; the default is CLICKHOUSE_USER'),
  CLICKHOUSE_READER_PASSWORD: z.string().optional().describe('password of CLICKHOUSE_READER_USER'),
  CLICKHOUSE_DATABASE: z.string().default('bookreel').describe('ClickHouse database; it must exist'),
  CLICKHOUSE_CLUSTER: z.string().optional().describe('ClickHouse cluster name; needed only with several shards'),
  CLICKHOUSE_SHARD_URLS: z
    .string()
    .optional()
    .describe('comma-separated HTTP addresses of all ClickHouse shards, for migrations'),
  CLICKHOUSE_LAYOUT: z
    .enum(['single', 'sharded', 'replicated'])
    .default('single')
    .describe('table layout that `prepare` creates'),
  RETENTION_DAYS_SNAPSHOTS: retentionDays.describe(
    'days that ClickHouse keeps snapshots of prediction markets, applied by `prepare`; 0 keeps them forever; if not set, the TTL of the table does not change',
  ),
  RETENTION_DAYS_TRADES: retentionDays.describe('days that ClickHouse keeps trades; see RETENTION_DAYS_SNAPSHOTS'),
  RETENTION_DAYS_GAPS: retentionDays.describe('days that ClickHouse keeps gap records; see RETENTION_DAYS_SNAPSHOTS'),
  RETENTION_DAYS_PERP_SNAPSHOTS: retentionDays.describe(
    'days that ClickHouse keeps snapshots of perpetual futures; see RETENTION_DAYS_SNAPSHOTS',
  ),
  RETENTION_DAYS_PRICES: retentionDays.describe(
    'days that ClickHouse keeps the prices of coins, one per second, coin and source; see RETENTION_DAYS_SNAPSHOTS',
  ),
  RETENTION_DAYS_SETTLEMENT_PRICES: retentionDays.describe(
    'days that ClickHouse keeps the prices that windows start and end with; see RETENTION_DAYS_SNAPSHOTS',
  ),
  RETENTION_DAYS_MARKETS: retentionDays.describe(
    'days after their end that markets are kept: listings in ClickHouse, applied by `prepare`, and markets and resolutions in PostgreSQL, deleted by the role catalogue; 0 or not set keeps them forever',
  ),
  RETENTION_DAYS_USAGE: retentionDays.describe(
    'days that PostgreSQL keeps the usage of accounts, deleted by the role catalogue; 0 or not set keeps it forever',
  ),
  NATS_URL: z.string().describe('NATS address; JetStream must be enabled'),
  NATS_USER: z.string().optional().describe('NATS user'),
  NATS_PASSWORD: z.string().optional().describe('NATS password'),
  DATABASE_URL: z.string().describe('PostgreSQL address, with user and password'),
  REDIS_URL: z
    .string()
    .describe(
      'Redis address, with the password; several addresses, separated by commas, are nodes of one Redis cluster with the login of the first',
    ),
  ALLOW_PLAIN_ENGINES: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'whether engines on other machines may be used without TLS, for example in a private network of containers',
    ),
  KEY_PEPPER: z
    .string()
    .min(32)
    .optional()
    .describe('secret used to hash API keys; required by every process that checks keys'),
  KEY_PEPPER_FORMER: z
    .string()
    .min(32)
    .optional()
    .describe('previous KEY_PEPPER during a rotation; each key is hashed with the new one at its next use'),
  NODE_COUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(1)
    .describe(
      'number of processes that serve requests; while Redis is unavailable, each allows an equal share of a rate limit',
    ),
  ...VENUE_SETTINGS,
  ...CAPTURE_SETTINGS,
  STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(10_000_000_000)
    .describe(
      'maximum bytes of rows that NATS stores while ClickHouse is unavailable; each stream gets a part of them by its number of shards. `prepare` applies it',
    ),
  SHARDS_PER_STREAM: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe('number of shards of a venue that share one stream of NATS; `prepare` applies it. Stop recorders first'),
  NATS_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe(
      'number of servers of a NATS cluster that store each stream and each key-value bucket; use 3 with three or more servers. `prepare` applies it',
    ),
  EMISSION_LOG: z.string().optional().describe('for tests: file to which capture appends every acknowledged row'),
  FRAME_DUMP_DIR: z
    .string()
    .optional()
    .describe('folder where capture writes the last minute of WebSocket frames after a wrong book or an unknown frame'),
  FRAME_DUMP_FILES: z.coerce.number().int().min(1).default(100).describe('maximum number of files in FRAME_DUMP_DIR'),
  RAW_DIR: z
    .string()
    .optional()
    .describe(
      'folder of the raw archive: everything that capture receives and decides; `bookreel-server rebuild` needs it. Not set: no raw archive',
    ),
  RAW_KEEP_HOURS: z.coerce
    .number()
    .min(1)
    .default(72)
    .describe('hours that the raw archive is kept, in RAW_DIR and in object storage'),
  RAW_LOCAL_HOURS: z.coerce
    .number()
    .min(0)
    .optional()
    .describe(
      'hours that RAW_DIR keeps what is in object storage already; the default is RAW_KEEP_HOURS. Needs OBJECT_STORE_URL',
    ),
  RAW_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(50_000_000_000)
    .describe(
      'maximum bytes of the raw archive in RAW_DIR, and the same in object storage; the oldest are deleted first',
    ),
  RAW_MIN_FREE_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(2_000_000_000)
    .describe(
      'free bytes on the disk of RAW_DIR below which the raw archive stops until there is space again; rows are still recorded',
    ),
  OBJECT_STORE_URL: z
    .string()
    .regex(
      /^(s3:\/\/[a-z0-9][a-z0-9.-]+(\/.*)?|file:\/\/\/.*)$/,
      'must be such as s3://bucket/folder or file:///folder',
    )
    .optional()
    .describe(
      'where files are stored besides local disks: s3://bucket/folder for S3-compatible storage, or file:///folder. The raw archive is uploaded to it',
    ),
  OBJECT_STORE_ENDPOINT: address
    .optional()
    .describe('address of the S3-compatible service, such as https://s3.example.com; not needed for AWS'),
  OBJECT_STORE_REGION: z.string().default('us-east-1').describe('region of the bucket'),
  OBJECT_STORE_KEY_ID: z
    .string()
    .optional()
    .describe('id of the access key; if not set, the AWS client looks for one (environment, instance profile)'),
  OBJECT_STORE_SECRET: z.string().optional().describe('secret of the access key'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('address that the API and the gateway listen on'),
  HTTP_PORT: port.default(8080).describe('port of the API; 0 picks a free port'),
  GATEWAY_PORT: port.default(8081).describe('port of the gateway role; 0 picks a free port'),
  STREAM_IN_API: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('whether the API process also serves WebSocket streams; set false when the gateway role serves them'),
  STREAM_RING_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(268_435_456)
    .describe('maximum bytes of recent rows that streams keep in memory for clients that resume'),
  PROBE_URL: address
    .optional()
    .describe(
      'address of the API that the prober checks, preferably the public one; the default is HTTP_PORT on this machine',
    ),
  NODE_ENV: z
    .string()
    .optional()
    .describe('`production` turns on REQUIRE_HTTPS, and commands do not look for a development stack'),
  REQUIRE_HTTPS: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .describe(
      'whether requests over plain HTTP are refused, except health checks; trusted proxies report the protocol (see TRUSTED_PROXIES)',
    )
    .meta({ usual: 'true if NODE_ENV is production, else false' }),
  TRUSTED_PROXIES: z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text.trim() === '') return undefined
      if (text.trim() === 'none') return []
      const proxies = text.split(',').flatMap((each) => each.trim() || [])
      if (proxies.every(isNetwork)) return proxies
      context.addIssue({ code: 'custom', message: NO_PROXY_LIST })
      return z.NEVER
    })
    .describe(
      'comma-separated addresses or networks of proxies whose X-Forwarded headers are trusted, such as 10.0.0.5,10.1.0.0/16; `none` states that no proxy is in front. Required with an https PUBLIC_URL',
    ),
  CONSOLE_DIR: z
    .string()
    .optional()
    .describe('folder of the built web console, which the API serves under /app; not set: no console'),
  PUBLIC_URL: address
    .optional()
    .describe('public address of the API, such as https://data.example.com; http is allowed on loopback only'),
  PUBLIC_STREAM_URL: z
    .url()
    .refine(isStreamAddress, 'must end with /v1/stream, and start with wss:// (ws:// is allowed on loopback only)')
    .optional()
    .describe(
      'public address of the streams, such as wss://stream.example.com/v1/stream; the default is /v1/stream of PUBLIC_URL. Needed for pages of the console when STREAM_IN_API is false; gateways then need PUBLIC_URL too, because they serve only its pages',
    ),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(mailto:[^@\s]+@\S+|https:\/\/\S+)$/, 'must be such as mailto:security@example.com or an https address')
    .optional()
    .describe(
      'where people report vulnerabilities of this service, such as mailto:security@example.com; it is published at /.well-known/security.txt. Set it before others can reach the service',
    ),
  ANONYMOUS_RPM: z.coerce
    .number()
    .int()
    .min(1)
    .default(300)
    .describe(
      'requests a minute without a valid API key that each process answers to one IPv4 address or IPv6 /64 network; half of them at once',
    ),
  MCP_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((each) => each !== ''))
    .describe('comma-separated host names that /mcp accepts besides loopback and the host of PUBLIC_URL'),
  ...SIGN_IN_SETTINGS,
  PAYMENT_PROCESSOR: z
    .enum(['none', ...PROCESSOR_NAMES])
    .default('none')
    .describe(
      'payment processor of new invoices; needs PUBLIC_URL. Open invoices of other configured processors are still processed',
    ),
  ...PROCESSOR_SETTINGS,
  EXPORT_DIR: z
    .string()
    .optional()
    .describe('folder that caches export files of finished hours; the default is a temporary folder of the process'),
  EXPORT_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(5_000_000_000)
    .describe('maximum bytes in EXPORT_DIR; the least recently used files are deleted first'),
  MANIFEST_KEY: z
    .string()
    .optional()
    .describe(
      'private key that signs the manifests of files: Ed25519, in PEM format, made with `openssl genpkey -algorithm ed25519`; best in a file named by MANIFEST_KEY_FILE. Only the role files needs it; if not set, manifests are not made',
    ),
  PG_PROGRAMS: z
    .string()
    .default('/usr/lib/postgresql/15/bin')
    .describe('folder of pg_dump and pg_restore, for `backup` and `restore`; not older than the PostgreSQL server'),
  PG_LIBRARIES: z.string().optional().describe('LD_LIBRARY_PATH of the programs in PG_PROGRAMS'),
  METRICS_PORT: port.default(0).describe('port of the Prometheus metrics of this process; 0 disables it'),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address that the metrics listen on; they have no authentication, so never a public one'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info').describe('log level'),
  LOG_FORMAT: z
    .enum(['pretty', 'json'])
    .optional()
    .describe(
      'format of the log: pretty lines for people, or json; the default is pretty in a terminal and json elsewhere',
    ),
  REQUEST_LOG: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('whether the API logs every request: method, path template, status, duration, account and request id'),
})

export type Config = z.infer<typeof ConfigSchema>

/** Settings that are never logged. */
export const SECRET_SETTINGS: readonly string[] = [
  'CLICKHOUSE_PASSWORD',
  'CLICKHOUSE_READER_PASSWORD',
  'NATS_PASSWORD',
  'DATABASE_URL',
  'REDIS_URL',
  'KEY_PEPPER',
  'KEY_PEPPER_FORMER',
  'OIDC_CLIENT_SECRET',
  'OBJECT_STORE_SECRET',
  'MANIFEST_KEY',
  ...PROCESSOR_SECRETS,
  ...VENUE_SECRETS,
]

/** Throws one error that names every setting that is missing or wrong. */
export function readConfig(given: Record<string, string | undefined>): Config {
  const environment = withSecretFiles(given)
  const { REQUIRE_HTTPS = String(environment.NODE_ENV === 'production') } = environment
  const read = checkValue(ConfigSchema, { ...environment, REQUIRE_HTTPS }, 'environment')
  if ('data' in read) return requireEncryption(read.data)
  const lines = read.problems.map(({ parameter, problem }) => {
    if (environment[parameter] !== undefined) return `  ${parameter} ${problem}.`
    const meaning = (ConfigSchema.shape as Record<string, z.ZodType | undefined>)[parameter]?.description
    return `  ${parameter} is not set. Set it to: ${meaning}.`
  })
  throw new Error(`Some settings are missing or wrong (docs/config.md describes them):\n${lines.join('\n')}`)
}

function requireEncryption(config: Config): Config {
  const plain = config.ALLOW_PLAIN_ENGINES ? [] : plainEngines(config)
  if (plain.length === 0) return config
  throw new Error(
    `Passwords and data would cross the network in plain text (docs/logins.md):\n${plain.map((line) => `  ${line}`).join('\n')}\n  If that network is private, set ALLOW_PLAIN_ENGINES=true.`,
  )
}

/** Every secret may be in a file whose name is in `<NAME>_FILE`; a line end after it does not count. */
function withSecretFiles(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const fromFiles: Record<string, string> = {}
  for (const name of SECRET_SETTINGS) {
    const file = environment[`${name}_FILE`]
    if (file === undefined) continue
    if (environment[name] !== undefined) throw new Error(`${name} and ${name}_FILE are both set. Set one of them.`)
    try {
      fromFiles[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      throw new Error(`${name}_FILE: ${file} cannot be read: ${(error as Error).message}`, { cause: error })
    }
  }
  return { ...environment, ...fromFiles }
}

/** Every setting with its name, default and meaning, for `--help` and the documentation. */
export function describeConfig(): { name: string; usual: string; meaning: string }[] {
  return Object.entries(ConfigSchema.shape).map(([name, schema]) => {
    return { name, usual: usualText(schema), meaning: schema.description ?? '' }
  })
}

function usualText(schema: z.ZodType): string {
  const { usual } = schema.meta() ?? {}
  if (typeof usual === 'string') return usual
  const parsed = z.safeParse(schema, undefined)
  if (!parsed.success) return 'required'
  const usualValue = parsed.data as string | number | boolean | readonly string[] | undefined
  return usualValue === undefined ? 'none' : String(usualValue)
}

function isStreamAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname } = new URL(text)
  const isSafe = protocol === 'wss:' || (protocol === 'ws:' && LOOPBACK_HOSTS.includes(hostname))
  return isSafe && pathname === '/v1/stream'
}

function isNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  if (length === undefined) return true
  return /^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= (family === 4 ? 32 : 128)
}
