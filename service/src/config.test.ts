import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Config, ConfigSchema, describeConfig, readConfig, SECRET_SETTINGS } from './config.ts'
import { plansWith } from './domain/plan.ts'
import { ALL_PROCESSORS } from './payments/all-processors.ts'

const NEEDED = {
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  CLICKHOUSE_USER: 'u',
  CLICKHOUSE_PASSWORD: 'p',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://127.0.0.1/bookreel',
  REDIS_URL: 'redis://127.0.0.1',
}

test('the engines are enough: everything else has a default', () => {
  expect(readConfig(NEEDED)).toMatchObject({ POLYMARKET_SHARDS: 8, LOG_LEVEL: 'info', CLICKHOUSE_LAYOUT: 'single' })
})

test('all that is missing or wrong is named at once', () => {
  const read = () => readConfig({ ...NEEDED, CLICKHOUSE_URL: 'nonsense', POLYMARKET_SHARDS: '0', REDIS_URL: undefined })
  for (const line of [
    'CLICKHOUSE_URL must be an address such as https://example.com.',
    'POLYMARKET_SHARDS must be between 1 and 1024, got 0.',
    'REDIS_URL is not set. Set it to: Redis address, with the password; several addresses, separated by commas, are nodes of one Redis cluster with the login of the first.',
  ])
    expect(read).toThrow(line)
})

test.each(['99', '3001'])('a capture interval of %s ms is refused with the bounds', (interval) => {
  expect(() => readConfig({ ...NEEDED, CAPTURE_INTERVAL_MS_SPORTS: interval })).toThrow(
    `CAPTURE_INTERVAL_MS_SPORTS must be between 100 and 3000, got ${interval}.`,
  )
})

test('capture intervals from 100 to 3000 ms become those of the plans', () => {
  const config = readConfig({ ...NEEDED, CAPTURE_INTERVAL_MS_CRYPTO: '100', CAPTURE_INTERVAL_MS_SPORTS: '3000' })
  const intervals = plansWith(config).map(({ category, captureIntervalMs }) => [category, captureIntervalMs])
  expect(Object.fromEntries(intervals)).toEqual({
    crypto: 100,
    sports: 3_000,
    equities: 1_000,
    economics: 2_000,
    social: 2_000,
    weather: 3_000,
  })
})

test.each([
  ['production', undefined, true],
  ['production', 'false', false],
  ['production', 'true', true],
  ['development', undefined, false],
  [undefined, undefined, false],
  [undefined, 'true', true],
])('with NODE_ENV %s and REQUIRE_HTTPS %s, HTTPS is required: %s', (NODE_ENV, REQUIRE_HTTPS, isRequired) => {
  expect(readConfig({ ...NEEDED, NODE_ENV, REQUIRE_HTTPS }).REQUIRE_HTTPS).toBe(isRequired)
})

test('trusted proxies are addresses and networks', () => {
  const read = (TRUSTED_PROXIES: string) => readConfig({ ...NEEDED, TRUSTED_PROXIES }).TRUSTED_PROXIES
  expect(read('10.0.0.5, 10.1.0.0/16,::1')).toEqual(['10.0.0.5', '10.1.0.0/16', '::1'])
  expect([read('none'), read('')]).toEqual([[], undefined])
  expect(read('128.0.0.0/1,8000::/1')).toEqual(['128.0.0.0/1', '8000::/1'])
  for (const wrong of ['proxy.internal', '10.0.0.0/33', '10.0.0.5;10.0.0.6', '0.0.0.0/0', '10.0.0.0/0', '::/0'])
    expect(() => read(wrong), wrong).toThrow(
      'TRUSTED_PROXIES must be addresses or networks such as 10.0.0.5,10.1.0.0/16, with a prefix length of 1 to 32 (IPv6: 1 to 128).',
    )
})

test('every setting says what it means', () => {
  for (const { name, meaning } of describeConfig()) expect(meaning, name).not.toBe('')
  const required = describeConfig().filter(({ usual }) => usual === 'required')
  expect(new Set(required.map(({ name }) => name))).toEqual(new Set(Object.keys(NEEDED)))
})

test.each(ALL_PROCESSORS)('$name: its settings, its choice and its secrets follow from the list', (kind) => {
  expect(ConfigSchema.shape.PAYMENT_PROCESSOR.parse(kind.name)).toBe(kind.name)
  expect(Object.keys(ConfigSchema.shape)).toEqual(expect.arrayContaining(Object.keys(kind.settings)))
  expect(SECRET_SETTINGS).toEqual(expect.arrayContaining([...kind.secrets]))
  const secretLooking = Object.keys(kind.settings).filter((name) => /KEY|SECRET|PASSWORD|TOKEN/.test(name))
  expect(kind.secrets).toEqual(secretLooking)
})

test('a processor is named in its own file and in nothing else of the service', () => {
  const folder = new URL('./', import.meta.url)
  const names = new RegExp(`'(${ALL_PROCESSORS.map(({ name }) => name).join('|')})'`)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const named = files.filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && names.test(readFileSync(new URL(file, folder), 'utf8')),
  )
  expect(named.toSorted()).toEqual(ALL_PROCESSORS.map(({ name }) => `payments/${name}.ts`).toSorted())
})

test('every secret can come from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-secrets-'))
  try {
    for (const name of SECRET_SETTINGS) {
      const value = name === 'DATABASE_URL' || name === 'REDIS_URL' ? 'redis://127.0.0.1/9' : 's'.repeat(40)
      const file = join(folder, name)
      writeFileSync(file, `${value}\n`)
      const given = { ...NEEDED, [name]: undefined, [`${name}_FILE`]: file }
      expect(readConfig(given)[name as keyof Config], name).toBe(value)
      expect(() => readConfig({ ...given, [name]: value })).toThrow(`${name} and ${name}_FILE are both set`)
      expect(() => readConfig({ ...given, [`${name}_FILE`]: join(folder, 'none') })).toThrow(`${name}_FILE: `)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  ['CLICKHOUSE_URL', 'http://10.0.0.5:8123', 'https://10.0.0.5:8443'],
  ['CLICKHOUSE_SHARD_URLS', 'https://a.example,http://b.example:8123', 'https://a.example,https://b.example:8443'],
  ['NATS_URL', 'nats://bus.example:4222', 'tls://bus.example:4222'],
  ['NATS_URL', 'bus.example:4222', 'tls://bus.example:4222'],
  ['DATABASE_URL', 'postgres://u:p@db.example/bookreel', 'postgres://u:p@db.example/bookreel?sslmode=verify-full'],
  ['DATABASE_URL', 'postgres://u:p@db.example/b?sslmode=disable', 'postgres://u:p@db.example/b?sslmode=verify-full'],
  ['REDIS_URL', 'redis://:p@cache.example:6379', 'rediss://:p@cache.example:6379'],
  ['REDIS_URL', 'rediss://:p@a.example,redis://:p@b.example', 'rediss://:p@a.example,rediss://:p@b.example'],
])('an engine on another machine needs TLS: %s=%s is refused', (name, plain, encrypted) => {
  expect(() => readConfig({ ...NEEDED, [name]: plain })).toThrow('is not encrypted')
  expect(() => readConfig({ ...NEEDED, [name]: plain })).toThrow('ALLOW_PLAIN_ENGINES')
  expect(readConfig({ ...NEEDED, [name]: plain, ALLOW_PLAIN_ENGINES: 'true' })).toMatchObject({ [name]: plain })
  expect(readConfig({ ...NEEDED, [name]: encrypted })).toMatchObject({ [name]: encrypted })
})

test('an operator is not named by a claim that people choose themselves', () => {
  for (const claim of ['email=ops@example.com', 'name=Ada', 'preferred_username=ops', 'nickname=ops', 'email'])
    expect(() => readConfig({ ...NEEDED, OPERATOR_CLAIM: claim })).toThrow('people choose themselves')
  for (const claim of ['groups=operators', 'bookreel_operator', 'emails=a'])
    expect(readConfig({ ...NEEDED, OPERATOR_CLAIM: claim })).toMatchObject({ OPERATOR_CLAIM: claim })
})
