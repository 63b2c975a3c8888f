import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { requireSafeSettings } from './require-safe-settings.ts'

const SAFE = {
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  CLICKHOUSE_USER: 'u',
  CLICKHOUSE_PASSWORD: 'p',
  CLICKHOUSE_READER_USER: 'r',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://127.0.0.1/bookreel',
  REDIS_URL: 'redis://127.0.0.1',
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://data.example.com',
  TRUSTED_PROXIES: '10.0.0.5',
}
const check = (changes: Record<string, string | undefined>) => () =>
  requireSafeSettings(readConfig({ ...SAFE, ...changes }))

test.each<[what: string, changes: Record<string, string | undefined>]>([
  ['production behind a trusted proxy', {}],
  ['production without a public address', { PUBLIC_URL: undefined }],
  ['a trial in production mode without HTTPS', { REQUIRE_HTTPS: 'false', PUBLIC_URL: undefined, TRUSTED_PROXIES: '' }],
  ['an https address and no proxy, when that is stated', { REQUIRE_HTTPS: 'false', TRUSTED_PROXIES: 'none' }],
  [
    'development without a reader account',
    {
      NODE_ENV: undefined,
      PUBLIC_URL: 'http://localhost:8080',
      TRUSTED_PROXIES: '',
      CLICKHOUSE_READER_USER: undefined,
    },
  ],
])('%s is safe', (_, changes) => {
  expect(check(changes)).not.toThrow()
})

test.each<[what: string, changes: Record<string, string | undefined>, sentence: string]>([
  [
    'an https address without trusted proxies',
    { TRUSTED_PROXIES: '', REQUIRE_HTTPS: 'false' },
    'PUBLIC_URL is https, but TRUSTED_PROXIES is not set',
  ],
  ['production without a proxy', { TRUSTED_PROXIES: 'none' }, 'HTTPS is required, but no proxy is trusted'],
  ['production with a plain address', { PUBLIC_URL: 'http://data.example.com' }, 'PUBLIC_URL is not https'],
  ['production without a reader account', { CLICKHOUSE_READER_USER: undefined }, 'CLICKHOUSE_READER_USER is not set'],
])('%s is refused with a sentence', (_, changes, sentence) => {
  expect(check(changes)).toThrow(sentence)
})
